import type { Command } from 'commander';

export interface OptionNode {
  /** As a person types them, e.g. `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** A command with the options and subcommands that may follow it. */
export interface CommandNode {
  /** The words of the command, without the program's name. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly subcommands: readonly CommandNode[];
}

/** The command tree of a fully loaded program. */
export function toTree(command: Command, path: readonly string[] = []): CommandNode {
  const [description = ''] = command.description().split('\n');
  return {
    path,
    description,
    options: command.options.filter(({ hidden }) => !hidden).map(toOption),
    subcommands: command.commands.map((child) => toTree(child, [...path, child.name()])),
  };
}

/** Every node of a tree, parents first. */
export function flatten(node: CommandNode): CommandNode[] {
  return [node, ...node.subcommands.flatMap(flatten)];
}

/** The commands that take the name of a context. */
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
