import { InvalidArgumentError } from 'commander';

/** For commands that show a list. */
export const limitOption = [
  '--limit <count>',
  'maximum number of entries to show',
  { parse: parseCount },
] as const;

export interface Limited {
  readonly limit?: number;
}

export const agentOption = [
  '--agent <agent>',
  'agent to use, by name or id (default: the one you last talked to, preferring active ones)',
  { names: { kind: 'agent', defaultsToCurrent: true } },
] as const;

/** For commands that act as an agent to change something else, e.g. a subuser. */
export const callingAgentOption = [
  '--agent <agent>',
  'which of your agents to act as, by name or id (default: the one you last talked to, preferring active ones)',
  agentOption[2],
] as const;

/** One of the person's agents; if omitted, the one they last talked to, preferring active agents. */
export const agentArgument = [
  '[agent]',
  'name or id of the agent (default: the one you last talked to, preferring active ones)',
  { kind: 'agent', defaultsToCurrent: true },
] as const;

export const requiredAgentArgument = [
  '<agent>',
  'name or id, from "daycare agent list"',
  { kind: 'agent' },
] as const;

/** An `--agent` option without a default agent. */
export const onlyAgent = (description: string) =>
  ['--agent <agent>', description, { names: { kind: 'agent' } }] as const;

/** A `--subuser` option. */
export const onlySubuser = (description: string) =>
  ['--subuser <subuser>', description, { names: { kind: 'subuser' } }] as const;

export interface ForAgent {
  readonly agent?: string;
}

/** Parses a positive integer. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a positive integer.');
}

/** Parses an integer of zero or more. */
export function parseNonNegative(text: string): number {
  return text === '0' ? 0 : parseCount(text);
}

/** Collects the values of a repeatable option. */
export function collectValue(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
