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

const friendKind: Kind = { noun: 'friend', listedBy: 'daycare friend list' };

export interface FoundFriend {
  readonly nametag: string;
  /** Whether the text is a complete nametag or nickname, neither of which other users can choose. */
  readonly isCertain: boolean;
}

/**
 * Finds the friend that a person means. A complete nametag or nickname always comes first, so that no one can
 * impersonate a friend by choosing a name. A prefix of a nametag matches too, as do a prefix of a nickname (unless
 * `isExact`) and the complete display name, in any case, of a friend or of a subuser that a friend shares. Returns
 * undefined if nothing matches. Throws if several match, or if the text is only the name in a friend request.
 */
export function findFriend(
  text: string,
  { friends, requests }: People,
  isExact = false,
): FoundFriend | undefined {
  const candidates = [
    ...friends.map(({ nametag, nickname }) => toNamed(nametag, nickname)),
    ...requests.map(({ nametag }) => toNamed(nametag)),
  ];
  const lower = text.toLowerCase();
  const fullMatches = candidates.filter(
    ({ id, names }) => id === text || names.some((name) => name.toLowerCase() === lower),
  );
  if (fullMatches.length > 0)
    return { nametag: pick(text, fullMatches, friendKind).id, isCertain: true };
  const hasThisName = ({ name }: { readonly name?: string | undefined }): boolean =>
    name?.toLowerCase() === lower;
  const byDisplayName = [...friends, ...friends.flatMap(subusersSharedBy)]
    .filter(hasThisName)
    .map(withName);
  const byPrefix = findNamed(text, candidates, friendKind, isExact);
  const matches = new Map(
    [...(byPrefix ? [byPrefix] : []), ...byDisplayName].map((match) => [match.id, match]),
  );
  if (matches.size > 1) throw ambiguous(text, [...matches.values()], friendKind);
  const [nametag] = matches.keys();
  if (nametag !== undefined) return { nametag, isCertain: false };
  const requesters = requests.filter(hasThisName);
  if (requesters.length > 0) throw notAFriendYet(text, requesters);
  return undefined;
}

const toNamed = (nametag: string, name?: string) => ({
  id: nametag,
  names: name === undefined ? [] : [name],
});

const withName = ({ nametag, name }: People['requests'][number]) => toNamed(nametag, name);

function subusersSharedBy({ sharesIn = [] }: People['friends'][number]): People['requests'] {
  return sharesIn.map(({ subuserName, subuserNametag }) => ({
    nametag: subuserNametag,
    name: subuserName,
  }));
}

function notAFriendYet(text: string, requesters: People['requests']): Failure {
  const nametags = requesters.map(({ nametag }) => nametag).join(', ');
  return new Failure(
    exitCodes.usage,
    `"${text}" is not one of your friends; it is only the name given in a friend request from ${nametags}.`,
    'Anyone can choose any name. If you know who it is, use the nametag.',
  );
}
