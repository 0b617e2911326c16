import type { Command } from 'commander';
import { specOf, type AnyCommand } from '../commands/kit/command';
import type { NameKind } from '../names/name-kinds';

export interface OptionNode {
  /** As a person types them, e.g. `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** Whether the value is a file or folder on this computer. */
  readonly takesFile: boolean;
  readonly choices: readonly string[];
  /** What kind of thing the value names, if any. */
  readonly names?: NameKind | undefined;
}

/** A command with the options and subcommands that may follow it. */
export interface CommandNode {
  /** The words of the command, without the program's name. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  /** What kinds of things its arguments name. */
  readonly names: readonly NameKind[];
  /** Whether one of its arguments is a file or folder on this computer. */
  readonly takesFile: boolean;
  readonly subcommands: readonly CommandNode[];
}

/** Builds the command tree of a fully loaded program. */
export function toTree(command: Command, path: readonly string[] = []): CommandNode {
  const [description = ''] = command.description().split('\n');
  const { args = [], options = [] } = specOf(command) ?? {};
  const namesOf = (flags: string): NameKind | undefined =>
    options.find(([declared]) => declared === flags)?.[2]?.names?.kind;
  return {
    path,
    description,
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({ ...toOption(option), names: namesOf(option.flags) })),
    names: [...new Set(args.flatMap(([, , rule]) => rule?.kind ?? []))],
    takesFile: args.some(([flags, , rule]) => rule?.kind === undefined && isFile(flags)),
    subcommands: command.commands.map((child) => toTree(child, [...path, child.name()])),
  };
}

/** Returns every node of a tree, parents first. */
export function flatten(node: CommandNode): CommandNode[] {
  return [node, ...node.subcommands.flatMap(flatten)];
}

/** A command without subcommands, with its words and its spec. */
export interface Leaf {
  readonly path: string;
  readonly command: Command;
  readonly spec: AnyCommand | undefined;
}

/** Returns every command without subcommands in a fully loaded program. */
export function leavesOf(command: Command, path: readonly string[] = []): Leaf[] {
  return command.commands.length === 0
    ? [{ path: path.join(' '), command, spec: specOf(command) }]
    : command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

/** The commands that take the name of a context. */
export const commandsTakingContext = [
  'context use',
  'context show',
  'context set',
  'context delete',
];

function isFile(flags: string): boolean {
  return /[<[](?:file|folder)[\]>]/.test(flags);
}

function toOption({
  flags,
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
    takesFile: isFile(flags),
    choices: argChoices ?? [],
  };
}
