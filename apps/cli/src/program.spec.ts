import { beforeAll, describe, expect, it } from '@jest/globals';
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

  it('lists every command without loading its code', () => {
    const bare = buildProgram(readSettings({}));
    expect(bare.commands.map((command) => command.name())).toEqual(catalog.map(({ name }) => name));
  });
});

describe('completion', () => {
  it.each([
    ['bash', toBash],
    ['zsh', toZsh],
    ['fish', toFish],
  ])('the completion script for %s names every command and option', (_, toScript) => {
    const script = toScript(tree);
    for (const { path, options } of flatten(tree)) {
      expect(script).toContain(path.at(-1) ?? 'daycare');
      for (const { flags } of options) expect(script).toContain(flags.at(-1)?.replace(/^-+/, ''));
    }
  });
});
