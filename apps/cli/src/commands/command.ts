import { type Command, Option } from 'commander';
import type { Hints } from '../failure/failure';
import type { View } from '../output/view';
import type { Invocation } from './invocation';

/** More about an option than its flags and description. */
export interface OptionRules {
  readonly choices?: readonly string[];
  readonly parse?: (text: string, before: never) => unknown;
  readonly default?: unknown;
  readonly isRequired?: boolean;
}

/** What an action gets: its arguments and options, and the ways to the services. */
export interface Call<Options> extends Invocation {
  readonly args: readonly string[];
  readonly options: Options;
}

export type Outcome = View | AsyncIterable<View> | undefined;

/** One command. What it returns is printed in the format that the person asked for. */
export interface CommandSpec<Options> {
  readonly name: string;
  readonly description: string;
  /** As commander writes them, e.g. `<nametag>`, `[text...]`, with what they are. */
  readonly args?: readonly (readonly [usage: string, description: string])[];
  readonly options?: readonly (readonly [
    flags: string,
    description: string,
    rules?: OptionRules,
  ])[];
  /** Command lines that work, without `daycare` in front. */
  readonly examples: readonly [string, ...string[]];
  /** What to do next when a call fails, where there is more to say than in general. */
  readonly hints?: Hints;
  /** Has the screen to itself: nothing else shows that it is under way. */
  readonly ownsScreen?: boolean;
  readonly run: (call: Call<Options>) => Promise<Outcome>;
}

/** A command whose options only itself knows. */
export type AnyCommand = CommandSpec<never>;

export function defineCommand<Options = object>(spec: CommandSpec<Options>): AnyCommand {
  return spec;
}

const specs = new WeakMap<Command, AnyCommand>();

/** What a command of the tree was made from; undefined for those that only hold others. */
export function specOf(command: Command): AnyCommand | undefined {
  return specs.get(command);
}

/** Makes a bare command what the spec says. */
export function install(
  command: Command,
  spec: AnyCommand,
  act: (spec: AnyCommand, command: Command) => Promise<void>,
): void {
  command.description(spec.description);
  for (const [usage, description] of spec.args ?? []) command.argument(usage, description);
  for (const [flags, description, rules] of spec.options ?? []) {
    command.addOption(toOption(flags, description, rules));
  }
  const lines = spec.examples.map((example) => `  $ daycare ${example}`);
  command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
  command.action(() => act(spec, command));
  specs.set(command, spec);
}

function toOption(flags: string, description: string, rules: OptionRules = {}): Option {
  const option = new Option(flags, description);
  if (rules.choices) option.choices(rules.choices);
  if (rules.parse) option.argParser(rules.parse as (text: string) => unknown);
  if (rules.default !== undefined) option.default(rules.default);
  return option.makeOptionMandatory(rules.isRequired ?? false);
}
