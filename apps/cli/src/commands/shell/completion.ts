import { toBash } from '../../completion/bash';
import { toTree, type CommandNode } from '../../completion/command-tree';
import { toFish } from '../../completion/fish';
import { toZsh } from '../../completion/zsh';
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

export const completionCommands: readonly AnyCommand[] = shells.map(
  ([shell, toScript, ...examples]) =>
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
