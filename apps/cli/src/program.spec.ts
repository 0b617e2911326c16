import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { catalog } from './commands/catalog';
import { specOf } from './commands/kit/command';
import { loadAll } from './commands/kit/lazy-commands';
import { toBash } from './completion/bash';
import { flatten, toTree, type CommandNode } from './completion/command-tree';
import { toFish } from './completion/fish';
import { toZsh } from './completion/zsh';
import { readSettings } from './config';
import { buildProgram } from './program';

let program: Command;
let tree: CommandNode;
beforeAll(async () => {
  program = buildProgram(readSettings({}));
  await loadAll(program);
  tree = toTree(program);
});

describe('buildProgram', () => {
  it('every command has a description and examples that start with its name', () => {
    const leaves = (command: Command, path: string[]): [string, Command][] =>
      command.commands.length === 0
        ? [[path.join(' '), command]]
        : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
    const incomplete = leaves(program, []).filter(([path, command]) => {
      const spec = specOf(command);
      return !spec?.description || !spec.examples.every((example) => example.startsWith(path));
    });
    expect(incomplete.map(([path]) => path)).toEqual([]);
  });

  it('every command is listed before it is loaded', () => {
    const bare = buildProgram(readSettings({}));
    expect(bare.commands.map((command) => command.name())).toEqual(catalog.map(({ name }) => name));
  });
});

describe('completion', () => {
  it.each([
    ['bash', toBash],
    ['zsh', toZsh],
    ['fish', toFish],
  ])('completion script for %s names every command and option', (_, toScript) => {
    const script = toScript(tree);
    for (const { path, options } of flatten(tree)) {
      expect(script).toContain(path.at(-1) ?? 'daycare');
      for (const { flags } of options) expect(script).toContain(flags.at(-1)?.replace(/^-+/, ''));
    }
  });

  describe('in bash', () => {
    const complete = (...words: string[]): string[] => {
      const folder = mkdtempSync(join(tmpdir(), 'daycare-completion-'));
      const config = join(folder, 'config.yaml');
      writeFileSync(config, 'current: ada\ncontexts:\n  ada:\n    stack: /x\n  "007": {}\n');
      const isNpx = words[0] === 'npx';
      const typed = isNpx ? words : ['daycare', ...words];
      const line = typed.map((word) => `'${word}'`).join(' ');
      const run = isNpx ? '_daycare_npx' : '_daycare';
      const ask = `COMP_WORDS=(${line}); COMP_CWORD=${typed.length - 1}; ${run}; echo "\${COMPREPLY[@]}"`;
      // Stands for the program, which would ask the services.
      const stub = '#!/bin/sh\n[ "$2" = names ] && echo "$3-one $3-two"\n';
      writeFileSync(join(folder, 'daycare'), stub, { mode: 0o755 });
      writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
      try {
        const env = { PATH: `${folder}:${process.env['PATH']}`, DAYCARE_CONFIG: config };
        const answer = execFileSync('bash', ['--norc', '-c', `${toBash(tree)}\n${ask}`], { env });
        return answer.toString().trim().split(' ');
      } finally {
        rmSync(folder, { recursive: true });
      }
    };

    it.each([
      [['fr'], ['friend']],
      [
        ['friend', 'un'],
        ['unshare', 'unblock'],
      ],
      [
        ['-o', 'json', 'cron', 'add', '--ti'],
        ['--time-zone', '--timeout'],
      ],
      [
        ['friend', 'list', '-o', ''],
        ['table', 'wide', 'json', 'yaml', 'name'],
      ],
      [['permission', 'list', '--state', 'p'], ['pending']],
      [
        ['friend', 'list', '--context', ''],
        ['ada', '007'],
      ],
      [['context', 'use', 'a'], ['ada']],
      [
        ['cron', 'remove', ''],
        ['cron-one', 'cron-two'],
      ],
      [['memory', 'list', '--agent', 'agent-t'], ['agent-two']],
      [['friend', 'list', ''], ['']],
      [['npx', 'daycare', 'fr'], ['friend']],
      [['npx', 'daycare', 'friend', 'send', 'friend-o'], ['friend-one']],
    ])('completes %j in bash', (words, expected) => {
      expect(complete(...words)).toEqual(expected);
    });
  });
});
