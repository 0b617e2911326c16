import { toBash } from '../../completion/bash';
import { toTree, type CommandNode } from '../../completion/command-tree';
import { toFish } from '../../completion/fish';
import { toZsh } from '../../completion/zsh';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { nameKinds } from '../../names/name-kinds';
import { shortId } from '../../output/short-id';
import { textView } from '../../output/view';
import { defineCommand, type AnyCommand } from '../kit/command';
import { loadAll } from '../kit/lazy-commands';

const shells: readonly [
  shell: string,
  toScript: (tree: CommandNode) => string,
  ...examples: [string, ...string[]],
][] = [
  ['bash', toBash, 'completion bash > ~/.local/share/bash-completion/completions/daycare'],
  ['zsh', toZsh, 'completion zsh > ~/.zfunc/_daycare'],
  ['fish', toFish, 'completion fish > ~/.config/fish/completions/daycare.fish'],
];

/** Prints what a shell offers for a name: names that need no quotes, and short ids of objects without such a name. */
const names = defineCommand({
  name: 'names',
  description:
    'print the names of your agents, friends, crons and the like; used by the completion scripts',
  args: [['<kind>', `what to list: ${nameKinds.join(', ')}`]],
  examples: ['completion names agent'],
  async run({ session, args: [kind = ''] }) {
    const { sources } = await import('../../names/sources.ts');
    const source = Object.entries(sources).find(([name]) => name === kind)?.[1];
    if (!source)
      throw new Failure(
        exitCodes.usage,
        `"${kind}" is not a valid kind; use one of ${nameKinds.join(', ')}.`,
      );
    const entries = await source.load(await session());
    const words = entries.flatMap(({ id, names: all }) => {
      const plain = all.filter((name) => /^[\w:.@-]+$/.test(name));
      return plain.length > 0 ? plain : [shortId(id)];
    });
    const unique = [...new Set(words)];
    return { data: unique, render: () => unique.join('\n'), names: unique };
  },
});

const scripts: readonly AnyCommand[] = shells.map(([shell, toScript, ...examples]) =>
  defineCommand({
    name: shell,
    description: `print the completion script for ${shell}`,
    examples,
    async run({ program }) {
      await loadAll(program);
      const script = toScript(toTree(program));
      return textView(script, { shell, script });
    },
  }),
);

export const completionCommands: readonly AnyCommand[] = [...scripts, names];
