import { type Command, Option } from 'commander';
import type { Hints } from '../../failure/failure';
import type { View } from '../../output/view';
import type { Invocation } from './invocation';
import type { NameRule } from './name-rule';

/** Constraints on an option's value. */
export interface OptionRules {
  readonly choices?: readonly string[];
  readonly parse?: (text: string, before: never) => unknown;
  readonly default?: unknown;
  /** The default as shown in the help, if it is not a plain value. */
  readonly defaultText?: string;
  readonly isRequired?: boolean;
  /** The value is a name or an id; the command receives the id. */
  readonly names?: NameRule;
}

/** An argument in commander's notation, e.g. `<nametag>` or `[text...]`, its description, and what its value names. */
export type ArgumentSpec = readonly [usage: string, description: string, names?: NameRule];
export type OptionSpec = readonly [flags: string, description: string, rules?: OptionRules];

/** What a command's `run` receives: arguments, options, and access to the services. */
export interface Call<Options> extends Invocation {
  readonly args: readonly string[];
  readonly options: Options;
  /** The root of the command tree. Its other commands may not be loaded yet. */
  readonly program: Command;
}

export type Outcome = View | AsyncIterable<View> | undefined;

/** One command. What it returns is printed in the requested format. */
export interface CommandSpec<Options> {
  readonly name: string;
  readonly description: string;
  /** Other names that people try; shown in the help. */
  readonly aliases?: readonly string[];
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /**
   * Returns the question to ask before doing something that cannot be undone; undefined to ask nothing. A person at a
   * terminal confirms; a script passes --yes. `args` are as typed; `resolved` has ids in place of names.
   */
  readonly confirm?: (
    args: readonly string[],
    options: Options,
    resolved: readonly string[],
  ) => string | undefined;
  /** Valid command lines without the leading `daycare`. */
  readonly examples: readonly [string, ...string[]];
  /** What to do next when a call fails, where the general advice is not specific enough. */
  readonly hints?: Hints;
  /** The command draws its own progress, so no spinner is shown. */
  readonly ownsScreen?: boolean;
  readonly run: (call: Call<Options>) => Promise<Outcome>;
}

/** A command with options of any type. */
export type AnyCommand = CommandSpec<never>;

export function defineCommand<Options = object>(spec: CommandSpec<Options>): AnyCommand {
  return spec;
}

const specs = new WeakMap<Command, AnyCommand>();

/** Returns the spec that a command was installed from; undefined for nouns, which only group verbs. */
export function specOf(command: Command): AnyCommand | undefined {
  return specs.get(command);
}

/** Adds the arguments, options, help and action of a spec to an empty command. */
export function install(
  command: Command,
  spec: AnyCommand,
  act: (spec: AnyCommand, command: Command) => Promise<void>,
): void {
  command.description(spec.description).showHelpAfterError(`Run "${helpOf(command)}" for details.`);
  for (const [usage, description] of spec.args ?? []) command.argument(usage, description);
  for (const [flags, description, rules] of spec.options ?? []) {
    command.addOption(toOption(flags, description, rules));
  }
  if (spec.aliases) command.aliases(spec.aliases);
  if (spec.confirm) command.option('--yes', 'do not ask for confirmation');
  const lines = spec.examples.map((example) => `  $ daycare ${example}`);
  const more = 'Global options (-o, --context, --timeout, …): daycare --help';
  command.addHelpText('after', ['', 'Examples:', ...lines, '', more].join('\n'));
  command.action(() => act(spec, command));
  specs.set(command, spec);
}

/** Returns the command line that shows a command's help, e.g. `daycare friend add --help`. */
export function helpOf(command: Command): string {
  const words = [];
  for (let part: Command | null = command; part; part = part.parent) words.unshift(part.name());
  return `${words.join(' ')} --help`;
}

function toOption(flags: string, description: string, rules: OptionRules = {}): Option {
  const option = new Option(flags, description);
  if (rules.choices) option.choices(rules.choices);
  if (rules.parse) option.argParser(rules.parse as (text: string) => unknown);
  if (rules.default !== undefined) option.default(rules.default, rules.defaultText);
  return option.makeOptionMandatory(rules.isRequired ?? false);
}
