import type { Session } from '../../client/session';
import type { AnyCommand, ArgumentSpec, OptionSpec } from './command';
import type { NameRule } from './name-rule';

/** The values that a person has typed: arguments by position, options by name. */
export interface TypedInput {
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Replaces the names that a person has typed with what the command expects: ids, or nametags of friends. If an agent
 * was left out and its rule has `defaultsToCurrent`, adds the one that the person last talked to, preferring active
 * agents. Changes nothing if --admin, --admin-header, --credential, --instance or --user is given, because an operator
 * refers to other people's objects, which can be identified only by id.
 */
export async function resolveNames(
  { args = [], options = [], name: verb, confirm }: AnyCommand,
  typed: TypedInput,
  session: () => Promise<Session>,
): Promise<TypedInput> {
  if (isOperator(typed.options)) return typed;
  const isExact = confirm !== undefined || destructiveVerbs.includes(verb);
  const resolve = async (rule: NameRule | undefined, value: unknown): Promise<unknown> => {
    if (!rule || !(typeof value === 'string' || (value === undefined && rule.defaultsToCurrent)))
      return value;
    const { resolveName, currentAgentId } = await import('../../names/resolve.ts');
    const opened = await session();
    return typeof value === 'string'
      ? resolveName(opened, rule.kind, value, isExact)
      : currentAgentId(opened);
  };
  const resolvedArgs = await Promise.all(
    withPositions(args, typed.args).map(([spec, value]) => resolve(spec?.[2], value)),
  );
  const named = options.filter(([, , rules]) => rules?.names !== undefined);
  const resolvedOptions = await Promise.all(
    named.map(async (spec) => {
      const name = optionName(spec);
      return [name, await resolve(spec[2]?.names, typed.options[name])] as const;
    }),
  );
  return {
    args: withoutTrailing(resolvedArgs as (string | undefined)[]),
    options: { ...typed.options, ...Object.fromEntries(resolvedOptions) },
  };
}

/**
 * The verbs of deletions. A deletion accepts no prefix of a name, because the prefix may match a different object
 * when the intended one no longer exists. A deletion does accept a prefix of an id with at least four characters.
 */
const destructiveVerbs: readonly string[] = ['delete', 'discard', 'end', 'remove', 'revoke'];

/** Pairs each argument with its spec, including arguments that were left out, because they may have a default. */
function withPositions(
  specs: readonly ArgumentSpec[],
  typed: TypedInput['args'],
): [ArgumentSpec | undefined, string | undefined][] {
  const length = Math.max(specs.length, typed.length);
  return Array.from({ length }, (_, at) => [specs[at], typed[at]]);
}

/** Drops trailing arguments that were left out and have no default. */
function withoutTrailing(args: readonly (string | undefined)[]): TypedInput['args'] {
  return args.slice(0, args.findLastIndex((value) => value !== undefined) + 1);
}

function isOperator(options: TypedInput['options']): boolean {
  return ['adminHeader', 'admin', 'credential', 'instance', 'user'].some(
    (name) => options[name] !== undefined,
  );
}

/** Returns the name that commander gives an option: `timeZone` for `--time-zone <name>`. */
function optionName([flags]: OptionSpec): string {
  const [, name = ''] = /--([a-z-]+)/.exec(flags) ?? [];
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
