import type { Friend, FriendRequest, Share } from '@daycare/contracts/social-graph';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { ambiguous, findNamed, type Kind } from './pick';

/** Those who may be meant. Display names are chosen by their bearers, nicknames by the person. */
export interface People {
  readonly friends: readonly (Pick<Friend, 'nametag' | 'name' | 'nickname'> & {
    readonly sharesIn?: readonly Pick<Share, 'subuserName' | 'subuserNametag'>[];
  })[];
  readonly requests: readonly Pick<FriendRequest, 'nametag' | 'name'>[];
}

export const friendKind: Kind = { noun: 'friend', listedBy: 'daycare friend list' };

/** A friend, and whether only the name says so that they have chosen themselves. */
export interface FoundFriend {
  readonly nametag: string;
  readonly byDisplayName: boolean;
}

/**
 * The friend that a person means. A nametag or a nickname, or the beginning of one, always comes before display names,
 * so that nobody can take a friend's place by choosing a name. A display name, also that of a subuser which a friend
 * shares, has to be typed in full, in any case, and must be that of one only. The name of a user who only asks to become one is refused.
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
  const found = findNamed(text, known, friendKind, isExact);
  if (found) return { nametag: found.id, byDisplayName: false };
  const lower = text.toLowerCase();
  const isCalled = ({ name }: { readonly name?: string | undefined }): boolean =>
    name?.toLowerCase() === lower;
  const called = [...friends, ...friends.flatMap(sharedBy)].filter(isCalled);
  if (called.length > 1) throw ambiguous(text, called.map(withName), friendKind);
  const [one] = called;
  if (one) return { nametag: one.nametag, byDisplayName: true };
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
    `"${text}" is not one of your friends, but the name in a friend request: ${nametags}.`,
    'Anyone can choose any name. If you know who it is, use the nametag.',
  );
}
