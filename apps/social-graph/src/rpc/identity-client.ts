import { makeCallPeer, type PeerAccess } from '@daycare/service-kit';
import type { SubuserFacts } from '../domain/sharing';
import type { FindNames } from '../usecases/list-friends';
import type { FindOwnSubusers } from '../usecases/sending/find-recipient';

const pageSize = 1_000;

/** Fetches a subuser's name and description from identity each time, because they change. */
export function makeDescribeSubuser(
  identity: Pick<PeerAccess['identity'], 'batchGetUsers'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
) {
  const callIdentity = makeCallPeer(credential, 'identity');
  return async (id: string): Promise<SubuserFacts | undefined> => {
    const { users } = await callIdentity((options) =>
      identity.batchGetUsers({ userIds: [id] }, options),
    );
    const [user] = users;
    return user && { name: user.name, description: user.description };
  };
}

/** Fetches users' display names by id; deleted users have none. */
export function makeFindNames(
  identity: Pick<PeerAccess['identity'], 'batchGetUsers'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
): FindNames {
  const callIdentity = makeCallPeer(credential, 'identity');
  return async (userIds) => {
    if (userIds.length === 0) return new Map();
    const pages = Array.from({ length: Math.ceil(userIds.length / pageSize) }, (_, index) =>
      userIds.slice(index * pageSize, (index + 1) * pageSize),
    );
    const responses = await Promise.all(
      pages.map((page) =>
        callIdentity((options) => identity.batchGetUsers({ userIds: [...page] }, options)),
      ),
    );
    return new Map(
      responses.flatMap(({ users }) => users.map(({ id, name }) => [id, name] as const)),
    );
  };
}

/** Finds the caller's subusers with a given name, calling identity on the caller's behalf. */
export function makeFindOwnSubusers(
  identity: Pick<PeerAccess['identity'], 'listSubusers'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
): FindOwnSubusers {
  const callIdentity = makeCallPeer(credential, 'identity');
  return async (userId, name) => {
    const found: { userId: string; nametag: string }[] = [];
    let pageToken = '';
    do {
      const request = { pageSize, pageToken };
      const page = await callIdentity((options) => identity.listSubusers(request, options), {
        userId,
      });
      const named = page.subusers.filter((subuser) => subuser.name === name);
      found.push(...named.map(({ id, nametag }) => ({ userId: id, nametag })));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return found;
  };
}
