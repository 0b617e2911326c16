/** The three users and two subusers of the model, and its rules for shares. */

export const users = ['ada', 'bob', 'cyd'] as const;
export const ownerOf = { helper: 'ada', cook: 'bob' } as const;
export const subusers = ['helper', 'cook'] as const;
export type User = (typeof users)[number];
export type Subuser = (typeof subusers)[number];
export type Name = User | Subuser;

/** The state of the relationship between two users. */
export interface Tie {
  friends: boolean;
  requester: User | undefined;
  /** Users who may not send the other a new request, because of the cooldown. */
  cooling: User[];
  blocking: User[];
  /** Users whose friend request the other side has been notified of. */
  notified: User[];
  shares: Partial<Record<Subuser, 'PENDING' | 'ACTIVE'>>;
}

/** Records a message or notice from the caller to a user or subuser. */
export type Notify = (to: Name, what: string) => void;

/** Applies a user's call concerning another user's subuser; returns its outcome. */
export function subuserCall(
  tie: Tie,
  kind: 'add' | 'remove' | 'send',
  subuser: Subuser,
  text: string,
  notify: Notify,
): string {
  const status = tie.shares[subuser];
  if (status === undefined || (kind === 'send' && status === 'PENDING')) return 'NOT_FOUND';
  if (kind === 'send') {
    notify(subuser, text);
    return 'OK';
  }
  if (kind === 'add') {
    tie.shares[subuser] = 'ACTIVE';
    if (status === 'PENDING') notify(ownerOf[subuser], `SHARE_ACCEPTED ${subuser}`);
    return 'ACTIVE';
  }
  endShare(tie, subuser);
  if (status === 'ACTIVE') notify(ownerOf[subuser], `SHARE_GIVEN_UP ${subuser}`);
  return 'REMOVED';
}

export function share(tie: Tie, friend: User, subuser: Subuser, notify: Notify): string {
  if (!tie.friends) return 'NOT_FRIENDS';
  const status = tie.shares[subuser];
  if (status) return status;
  tie.shares[subuser] = 'PENDING';
  notify(friend, `SHARE_OFFERED ${subuser}`);
  return 'PENDING';
}

export function unshare(tie: Tie, friend: User, subuser: Subuser, notify: Notify): string {
  if (!tie.shares[subuser]) return 'NOT_FOUND';
  endShare(tie, subuser);
  notify(friend, `SHARE_REVOKED ${subuser}`);
  return 'REMOVED';
}

function endShare(tie: Tie, subuser: Subuser): void {
  const { [subuser]: _, ...remaining } = tie.shares;
  tie.shares = remaining;
}
