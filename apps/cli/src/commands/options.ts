import { InvalidArgumentError } from 'commander';

/** Options that several commands have, written once. */
export const limitOption = [
  '--limit <count>',
  'show at most so many',
  { parse: parseCount },
] as const;

export interface Limited {
  readonly limit?: number;
}

export const agentOption = [
  '--agent <id>',
  'the agent; the one you talked with last unless given',
] as const;

export interface ForAgent {
  readonly agent?: string;
}

/** Reads a whole number of at least one. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number above 0.');
}

/** Reads a whole number. */
export function parseWhole(text: string): number {
  return text === '0' ? 0 : parseCount(text);
}

/** Gathers the values of an option that may be given again. */
export function addTo(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
