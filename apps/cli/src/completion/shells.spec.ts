import { spawnSync, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from '../commands/kit/lazy-commands';
import { readSettings } from '../config';
import { buildProgram } from '../program';
import { toBash } from './bash';
import { toTree, type CommandNode } from './command-tree';
import { toFish } from './fish';
import { toZsh } from './zsh';

const folder = mkdtempSync(join(tmpdir(), 'daycare-completion-'));
const workFolder = join(folder, 'work');
const env = { PATH: `${folder}:${process.env['PATH']}`, DAYCARE_CONFIG: join(folder, 'config') };
let tree: CommandNode;

beforeAll(async () => {
  const program = buildProgram(readSettings({}));
  await loadAll(program);
  tree = toTree(program);
  mkdirSync(workFolder);
  writeFileSync(join(workFolder, 'notes.txt'), '');
  writeFileSync(
    env.DAYCARE_CONFIG,
    'current: ada\ncontexts:\n  ada:\n    stack: /x\n  "007": {}\n',
  );
  // Stands in for the program, which would call the services.
  const daycare = '#!/bin/sh\n[ "$2" = names ] && printf "%s-one\\n%s-two\\n" "$3" "$3"\n';
  writeFileSync(join(folder, 'daycare'), daycare, { mode: 0o755 });
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The script for zsh is passed as input, because it is longer than an argument may be. */
function run(shell: string, argv: readonly string[], script = ''): string[] {
  const options = { env: { ...env, HOME: workFolder }, cwd: workFolder, input: script };
  const output = execFileSync(shell, argv, options);
  return output
    .toString()
    .split('\n')
    .map((line) => line.replace(/\t.*$/, ''))
    .filter((line) => line !== '')
    .sort();
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

const shells: Record<string, (typed: readonly string[]) => string[]> = {
  bash(typed) {
    const complete = typed[0] === 'npx' ? '_daycare_npx' : '_daycare';
    const ask = `COMP_WORDS=(${quoted(typed)}); COMP_CWORD=${typed.length - 1}; ${complete}`;
    // Where the script offers nothing, bash offers file names, but only because of `-o default`.
    const hasDefault = `complete -p daycare | grep -q -- '-o default'`;
    const files = `(( \${#COMPREPLY[@]} )) || { ${hasDefault} && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); }`;
    const print = `printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', ['--norc', '-s'], `${toBash(tree)}\n${ask}\n${files}\n${print}`);
  },
  fish(typed) {
    const ask = `complete -C '${typed.join(' ')}'`;
    return run('fish', ['--no-config', '-c', `${toFish(tree)}\n${ask}`]);
  },
  // Replaces the functions that need a terminal with ones that print their arguments.
  zsh(typed) {
    const terminal = `
compdef() { }
offer() { local each; for each in "$@"; do [[ "$each" == "\${words[CURRENT]}"* ]] && print -r -- "$each"; done }
compadd() { if [[ $1 == -a ]]; then offer "\${(@P)2}"; else [[ $1 == -- ]] && shift; offer "$@"; fi }
_describe() { offer "\${(@)\${(@P)2}%%:*}" }
_files() { offer *(N) }`;
    const complete = typed[0] === 'npx' ? '_daycare_npx' : '_daycare';
    const ask = `words=(${quoted(typed)}); CURRENT=${typed.length}; ${complete}; true`;
    return run('zsh', ['-f', '-s'], `${terminal}\n${toZsh(tree)}\n${ask}`);
  },
};

const cases: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['fr'], ['friend']],
  [
    ['friend', 'un'],
    ['unblock', 'unshare'],
  ],
  [
    ['-o', 'json', 'cron', 'add', '--ti'],
    ['--time-zone', '--timeout'],
  ],
  [
    ['friend', 'list', '-o', ''],
    ['json', 'name', 'table', 'wide', 'yaml'],
  ],
  [['permission', 'list', '--state', 'p'], ['pending']],
  [
    ['friend', 'list', '--context', ''],
    ['007', 'ada'],
  ],
  [['context', 'use', 'a'], ['ada']],
  [
    ['cron', 'remove', ''],
    ['cron-one', 'cron-two'],
  ],
  [['memory', 'list', '--agent', 'agent-t'], ['agent-two']],
  [['file', 'upload', 'n'], ['notes.txt']],
  [['agent', 'send', '--file', 'n'], ['notes.txt']],
  [['npx', 'daycare', 'fr'], ['friend']],
  [['npx', 'daycare', 'friend', 'send', 'friend-o'], ['friend-one']],
];

describe.each(Object.entries(shells))('completion in %s', (shell, complete) => {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
  // CI installs all of the shells.
  const isRequired = process.env['CI'] === 'true';
  (isInstalled || isRequired ? it : it.skip).each(cases)(
    'for %j, offers the words %j',
    (words, offered) => {
      const typed = words[0] === 'npx' ? words : ['daycare', ...words];
      expect(complete(typed)).toEqual(offered);
    },
  );
});
