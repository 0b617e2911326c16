import type { AnyCommand } from './command';

const globalOptions = ['--context', '--output', '--timeout', '--request-id'];

/**
 * Finds the option that sets a request field, e.g. `--time-zone` for `time_zone` and `--agent` for
 * `leader_agent_id`; undefined when an argument sets the field, or nothing does.
 */
export function findOption(
  field: string,
  { args = [], options = [] }: AnyCommand,
): string | undefined {
  const kebab = field.replaceAll('_', '-');
  if (args.some(([usage]) => usage.replace(/[^a-z-]/g, '') === kebab)) return undefined;
  const bare = kebab.replace(/-(?:ids?|ms|json|day|micros)$/, '');
  const flags = [...options.map(([usage]) => longFlag(usage)), ...globalOptions];
  return [kebab, bare, bare.replace(/^.*-/, '')]
    .map((name) => `--${name}`)
    .find((flag) => flags.includes(flag));
}

function longFlag(usage: string): string {
  return /--[a-z-]+/.exec(usage)?.[0] ?? '';
}
