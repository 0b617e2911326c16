import { InvalidArgumentError } from 'commander';

/** Options shared by several commands. */
export const limitOption = [
  '--limit <count>',
  'maximum number of entries to show',
  { parse: parseCount },
] as const;

export interface Limited {
  readonly limit?: number;
}

export const agentOption = [
  '--agent <id>',
  'agent to use (default: the one you last talked to)',
] as const;

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
