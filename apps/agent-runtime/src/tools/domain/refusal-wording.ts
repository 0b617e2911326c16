import type { Trust } from '@daycare/api';
import type { StartedBy } from '../../agents';

const instructors: Readonly<Record<Trust, string>> = {
  person: 'the user',
  own: 'one of the user’s agents or schedules',
  guest: 'a guest',
  outside: 'an outsider',
};

/** Describes, for people and models, who started a turn and how far they are trusted. */
export function describeStarter(trust: Trust, { source, origin }: StartedBy): string {
  const starter = origin === '' ? source.replace('_', ' ') : origin;
  return `${starter} (trust: ${trust})`;
}

export function refusalText(toolName: string, trust: Trust, startedBy: StartedBy): string {
  const starter = describeStarter(trust, startedBy);
  return `${toolName} is refused: this turn was started by ${starter} and acts on instructions from ${instructors[trust]}`;
}
