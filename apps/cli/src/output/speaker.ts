import type { UserMessageRecord } from '@daycare/contracts/agent-runtime';

/** What to call the origin of a message, e.g. `Bob's agent`; undefined when nothing better than the origin is known. */
export type NameOf = (origin: string) => string | undefined;

/** Says who wrote a message that is not from the person, e.g. `cron "tea"` rather than an id. */
export function speakerOf(
  { origin, originName }: Pick<UserMessageRecord, 'origin' | 'originName'>,
  nameOf: NameOf = () => undefined,
): string {
  const source = origin.startsWith('result:') ? origin.slice('result:'.length) : origin;
  if (originName !== '') return `${source.replace(/:.*$/s, '')} ${JSON.stringify(originName)}`;
  return nameOf(source) ?? source;
}
