import type { Friend, FriendRequest, Share } from '@daycare/contracts/social-graph';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { ambiguous, findNamed, pick, type Kind } from './pick';

/** The candidates. Users choose their own display names; the person chooses nicknames. */
export interface People {
  readonly friends: readonly (Pick<Friend, 'nametag' | 'name' | 'nickname'> & {
    readonly sharesIn?: readonly Pick<Share, 'subuserName' | 'subuserNametag'>[];
  })[];
  readonly requests: readonly Pick<FriendRequest, 'nametag' | 'name'>[];
}

export const friendKind: Kind = { noun: 'friend', listedBy: 'daycare friend list' };

export interface FoundFriend {
  readonly nametag: string;
  /** Whether the text is a complete nametag or nickname, which no other user can choose. */
  readonly isCertain: boolean;
}

/**
 * The friend that a person means. A complete nametag or nickname always comes first, so that no one can take a friend's
 * place by choosing a name. A prefix of a nametag or nickname matches too, unless it is also the complete display name
 * of another friend or of a subuser that a friend shares. Display names match only in full, but regardless of case. The
 * name in a friend request is refused.
 */
export function findFriend(
  text: string,
  { friends, requests }: People,
  isExact = false,
): FoundFriend | undefined {
  const known = [
    ...friends.map(({ nametag, nickname }) => toNamed(nametag, nickname)),
    ...requests.map(({ nametag }) => toNamed(nametag)),
  ];
  const lower = text.toLowerCase();
  const whole = known.filter(
    ({ id, names }) => id === text || names.some((name) => name.toLowerCase() === lower),
  );
  if (whole.length > 0) return { nametag: pick(text, whole, friendKind).id, isCertain: true };
  const isCalled = ({ name }: { readonly name?: string | undefined }): boolean =>
    name?.toLowerCase() === lower;
  const called = [...friends, ...friends.flatMap(sharedBy)].filter(isCalled).map(withName);
  const begun = findNamed(text, known, friendKind, isExact);
  const meant = new Map([...(begun ? [begun] : []), ...called].map((each) => [each.id, each]));
  if (meant.size > 1) throw ambiguous(text, [...meant.values()], friendKind);
  const [nametag] = meant.keys();
  if (nametag !== undefined) return { nametag, isCertain: false };
  const asking = requests.filter(isCalled);
  if (asking.length > 0) throw onlyAsking(text, asking);
  return undefined;
}

const toNamed = (nametag: string, name?: string) => ({
  id: nametag,
  names: name === undefined ? [] : [name],
});

const withName = ({ nametag, name }: People['requests'][number]) => toNamed(nametag, name);

function sharedBy({ sharesIn = [] }: People['friends'][number]): People['requests'] {
  return sharesIn.map(({ subuserName, subuserNametag }) => ({
    nametag: subuserNametag,
    name: subuserName,
  }));
}

function onlyAsking(text: string, asking: People['requests']): Failure {
  const nametags = asking.map(({ nametag }) => nametag).join(', ');
  return new Failure(
    exitCodes.usage,
    `"${text}" is not one of your friends; it is only the name given in a friend request from ${nametags}.`,
    'Anyone can choose any name. If you know who it is, use the nametag.',
  );
}
