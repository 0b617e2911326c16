import { maskPeerAuthError, type PeerAccess } from '@daycare/service-kit';
import type { SubuserFacts } from '../domain/sharing';
import type { FindNames } from '../usecases/list-friends';
import type { FindOwnSubusers } from '../usecases/sending/find-recipient';

const pageSize = 1_000;

/** Fetches a subuser's name and description from identity each time, because they change. */
export function makeDescribeSubuser(
  identity: Pick<PeerAccess['identity'], 'batchGetUsers'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
) {
  return async (id: string): Promise<SubuserFacts | undefined> => {
    const metadataFor = credential.metadata('identity');
    const { users } = await identity
      .batchGetUsers({ userIds: [id] }, { metadataFor })
      .catch((error: unknown) => {
        throw maskPeerAuthError(error);
      });
    const [user] = users;
    return user && { name: user.name, description: user.description };
  };
}

/** Fetches users' display names by id; deleted users have none. */
export function makeFindNames(
  identity: Pick<PeerAccess['identity'], 'batchGetUsers'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
): FindNames {
  return async (userIds) => {
    if (userIds.length === 0) return new Map();
    const metadataFor = credential.metadata('identity');
    const pages = Array.from({ length: Math.ceil(userIds.length / pageSize) }, (_, index) =>
      userIds.slice(index * pageSize, (index + 1) * pageSize),
    );
    const responses = await Promise.all(
      pages.map((page) => identity.batchGetUsers({ userIds: [...page] }, { metadataFor })),
    ).catch((error: unknown) => {
      throw maskPeerAuthError(error);
    });
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
  return async (userId, name) => {
    const metadataFor = credential.metadata('identity', { userId });
    const found: { userId: string; nametag: string }[] = [];
    let pageToken = '';
    do {
      const page = await identity
        .listSubusers({ pageSize, pageToken }, { metadataFor })
        .catch((error: unknown) => {
          throw maskPeerAuthError(error);
        });
      const named = page.subusers.filter((subuser) => subuser.name === name);
      found.push(...named.map(({ id, nametag }) => ({ userId: id, nametag })));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return found;
  };
}
