import { ShareStatus, type Share } from '@daycare/contracts/social-graph';

export interface SharedWith {
  readonly friend: string;
  readonly share: Share;
}

/** Returns, for example, ` · shared with 2 friends · offered to one friend`; an empty text if there are no shares. */
export function describeShares(shares: readonly SharedWith[]): string {
  const offered = shares.filter(({ share }) => share.status === ShareStatus.PENDING).length;
  return (
    describeCount('shared with', shares.length - offered) + describeCount('offered to', offered)
  );
}

function describeCount(verb: string, count: number): string {
  if (count === 0) return '';
  return ` · ${verb} ${count === 1 ? 'one friend' : `${count} friends`}`;
}
