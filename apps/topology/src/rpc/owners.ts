import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { CallOptions, RpcClient } from '@daycare/rpc';
import { ownFault, type Membership } from '@daycare/service-kit';
import type { SeenSubuser, SubuserFacts, Viewer } from '../domain/facts';
import type { Owners, Patience } from '../usecases/owners';
import { readFriends, readScope } from './fact-messages';

export interface Peers {
  readonly identity: Pick<Membership['identity'], 'listSubusers'>;
  readonly directory: Pick<Membership['directory'], 'findById'>;
  readonly socialGraph: Pick<RpcClient<typeof SocialGraphServiceService>, 'listFriends'>;
  readonly agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'listScope'>;
}

export type Credential = Pick<Membership['credential'], 'metadata'>;

/** The most that the owners give at once. */
const pageSize = 1_000;
/** More subusers than these pages hold cannot be looked at together. */
const mostSubuserPages = 2;

/** Asks the owners of the facts over the wire. */
export function makeOwners(peers: Peers, credential: Credential): Owners {
  const ask = makeAsk(credential);
  return {
    findNametag: async ({ userId }) => (await peers.directory.findById(userId))?.nametag,
    async listSubusers(viewer, patience): Promise<SubuserFacts> {
      const subusers: SeenSubuser[] = [];
      let pageToken = '';
      for (let page = 0; page < mostSubuserPages; page++) {
        const request = { pageSize, pageToken };
        const answer = await ask('identity', viewer, patience, (options) =>
          peers.identity.listSubusers(request, options),
        );
        subusers.push(...answer.subusers.map(({ id, name, nametag }) => ({ id, name, nametag })));
        pageToken = answer.nextPageToken;
        if (pageToken === '') break;
      }
      return { subusers, isCut: pageToken !== '' };
    },
    listFriends: async (viewer, pageToken, patience) =>
      readFriends(
        await ask('social-graph', viewer, patience, (options) =>
          peers.socialGraph.listFriends({ pageSize, pageToken }, options),
        ),
        pageSize,
      ),
    async listScope({ userIds, gatewayUserIds, includeDead, pageToken }, patience) {
      const ids = { userIds: [...userIds], gatewayUserIds: [...gatewayUserIds] };
      const request = { ...ids, includeDead, pageSize, pageToken };
      return readScope(
        await ask('agent-runtime', undefined, patience, (options) =>
          peers.agentRuntime.listScope(request, options),
        ),
      );
    },
  };
}

/** Without a viewer the call is made as the service itself. */
function makeAsk(credential: Credential) {
  return async <T>(
    callee: string,
    viewer: Viewer | undefined,
    { timeoutMs, signal }: Patience,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    const metadata = await credential.metadata(callee, viewer && subjectOf(viewer));
    return call({ metadata, timeoutMs, signal }).catch((error: unknown) => {
      throw ownFault(error);
    });
  };
}

export function subjectOf({ userId, agentId, parentUserId }: Viewer) {
  return {
    userId,
    ...(agentId === undefined ? {} : { agentId }),
    ...(parentUserId === undefined ? {} : { parentUserId }),
  };
}
