import type { Command } from 'commander';

export interface OptionNode {
  /** As typed, e.g. `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** A word of the command line with what may follow it. */
export interface CommandNode {
  /** The words that lead here, without the program's name. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly below: readonly CommandNode[];
}

/** The tree of a program whose commands are all there. */
export function toTree(command: Command, path: readonly string[] = []): CommandNode {
  const [description = ''] = command.description().split('\n');
  return {
    path,
    description,
    options: command.options.filter(({ hidden }) => !hidden).map(toOption),
    below: command.commands.map((child) => toTree(child, [...path, child.name()])),
  };
}

/** Every node of a tree, from the top. */
export function flatten(node: CommandNode): CommandNode[] {
  return [node, ...node.below.flatMap(flatten)];
}

/** The commands whose argument is the name of a context. */
export const contextArguments = ['context use', 'context show', 'context set', 'context delete'];

function toOption({
  short,
  long,
  description,
  required,
  optional,
  argChoices,
}: Command['options'][number]): OptionNode {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
