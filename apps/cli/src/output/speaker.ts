import type { UserMessageRecord } from '@daycare/contracts/agent-runtime';

/** Who wrote a message that is not from the person, for people to read: `cron "tea"` rather than its id. */
export function speakerOf({
  origin,
  originName,
}: Pick<UserMessageRecord, 'origin' | 'originName'>): string {
  const source = origin.startsWith('result:') ? origin.slice('result:'.length) : origin;
  return originName === ''
    ? source
    : `${source.replace(/:.*$/s, '')} ${JSON.stringify(originName)}`;
}
