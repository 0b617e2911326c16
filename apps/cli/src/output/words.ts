import type { AgentWait } from '@daycare/contracts/agent-runtime';
import { findWord } from '@daycare/contracts/enum-words';
import { safeLine } from './safe-text';

/** Returns an enum value of the contract as a word, e.g. `active`; empty when unset or unknown. */
export function toWord<E extends Readonly<Record<string, string>>>(
  type: E,
  value: E[keyof E] | undefined,
): string {
  return value === undefined ? '' : (findWord(type, value) ?? '');
}

/** Formats a time in UTC to the second; empty without one. */
export function toTime(time: Date | undefined): string {
  return time ? time.toISOString().replace(/\.\d+Z$/, 'Z') : '';
}

export function toYesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Says what an agent is waiting for and until when; empty when it is not waiting. */
export function toWait(waiting: AgentWait | undefined): string {
  return waiting ? `waiting for ${safeLine(waiting.for)} until ${toTime(waiting.until)}` : '';
}
