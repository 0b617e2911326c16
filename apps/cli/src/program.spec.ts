import { beforeAll, describe, expect, it } from '@jest/globals';
import { catalog } from './commands/catalog';
import { loadAll } from './commands/kit/lazy-commands';
import { toBash } from './completion/bash';
import { flatten, toTree, type CommandNode } from './completion/command-tree';
import { toFish } from './completion/fish';
import { toZsh } from './completion/zsh';
import { readSettings } from './config';
import { buildProgram } from './program';

let tree: CommandNode;
beforeAll(async () => {
  const program = buildProgram(readSettings({}));
  await loadAll(program);
  tree = toTree(program);
});

describe('buildProgram', () => {
  it('lists every command of the catalog, even before any is loaded', () => {
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
