import { maskPeerAuthError, type PeerAccess } from '@daycare/service-kit';
import type { SubuserFacts } from '../domain/sharing';
import type { FindOwnSubusers } from '../usecases/sending/find-recipient';

const pageSize = 1_000;

/** The name and description of a subuser, fetched from identity each time because they change. */
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

/** Searches the subusers of the caller, on whose behalf identity is called. */
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
