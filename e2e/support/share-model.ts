/** The three users and two subusers of the model, and what it says of sharing. */
export const users = ['ada', 'bob', 'cyd'] as const;
export const ownerOf = { helper: 'ada', cook: 'bob' } as const;
export const subusers = ['helper', 'cook'] as const;
export type User = (typeof users)[number];
export type Subuser = (typeof subusers)[number];
export type Name = User | Subuser;

/** Everything between two users. */
export interface Tie {
  friends: boolean;
  asker: User | undefined;
  /** Who may not ask the other any more. */
  cooling: User[];
  blocking: User[];
  /** Whose request the other side has been told of. */
  told: User[];
  shares: Partial<Record<Subuser, 'PENDING' | 'ACTIVE'>>;
}

/** Lets somebody hear something from the caller. */
export type Tell = (to: Name, what: string) => void;

/** What somebody may do with a subuser that is not its own. */
export function subuserCall(
  tie: Tie,
  kind: 'add' | 'remove' | 'send',
  subuser: Subuser,
  text: string,
  tell: Tell,
): string {
  const status = tie.shares[subuser];
  if (status === undefined || (kind === 'send' && status === 'PENDING')) return 'NOT_FOUND';
  if (kind === 'send') {
    tell(subuser, text);
    return 'OK';
  }
  if (kind === 'add') {
    tie.shares[subuser] = 'ACTIVE';
    if (status === 'PENDING') tell(ownerOf[subuser], `SHARE_ACCEPTED ${subuser}`);
    return 'ACTIVE';
  }
  endShare(tie, subuser);
  if (status === 'ACTIVE') tell(ownerOf[subuser], `SHARE_GIVEN_UP ${subuser}`);
  return 'REMOVED';
}

export function share(tie: Tie, friend: User, subuser: Subuser, tell: Tell): string {
  if (!tie.friends) return 'NOT_FRIENDS';
  const status = tie.shares[subuser];
  if (status) return status;
  tie.shares[subuser] = 'PENDING';
  tell(friend, `SHARE_OFFERED ${subuser}`);
  return 'PENDING';
}

export function unshare(tie: Tie, friend: User, subuser: Subuser, tell: Tell): string {
  if (!tie.shares[subuser]) return 'NOT_FOUND';
  endShare(tie, subuser);
  tell(friend, `SHARE_REVOKED ${subuser}`);
  return 'REMOVED';
}

function endShare(tie: Tie, subuser: Subuser): void {
  const { [subuser]: _, ...left } = tie.shares;
  tie.shares = left;
}
