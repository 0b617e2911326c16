import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { CallOptions, RpcClient } from '@daycare/rpc';
import { maskPeerAuthError, type PeerAccess } from '@daycare/service-kit';
import type { Subuser, SubuserFacts } from '../domain/view/facts';
import type { Viewer } from '../domain/viewer';
import type { FactSources, TimeBudget } from '../usecases/view/fact-sources';
import { readFriends, readScope } from './fact-messages';

export interface FactPeers {
  readonly identity: Pick<PeerAccess['identity'], 'listSubusers'>;
  readonly directory: Pick<PeerAccess['directory'], 'findById'>;
  readonly socialGraph: Pick<RpcClient<typeof SocialGraphServiceService>, 'listFriends'>;
  readonly agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'listScope'>;
}

export type Credential = Pick<PeerAccess['credential'], 'metadata'>;

/** The largest page that the other services return. */
const pageSize = 1_000;
/** Subusers beyond these pages are not read. */
const maxSubuserPages = 2;

/** Reads the facts from the services that own them. */
export function makeFactSources(peers: FactPeers, credential: Credential): FactSources {
  const callPeer = makeCallPeer(credential);
  return {
    findNametag: async ({ userId }) => (await peers.directory.findById(userId))?.nametag,
    async listSubusers(viewer, known, budget): Promise<SubuserFacts> {
      const subusers: Subuser[] = [];
      let [pageToken, digest] = ['', ''];
      for (let page = 0; page < maxSubuserPages; page++) {
        const condition = page === 0 ? { knownDigest: known?.digest ?? '' } : {};
        const request = { pageSize, pageToken, ...condition };
        const response = await callPeer('identity', viewer, budget, (options) =>
          peers.identity.listSubusers(request, options),
        );
        if (known && response.unchanged) return known;
        // The first page's digest was computed before anything was read, and covers all pages.
        digest ||= response.digest;
        subusers.push(
          ...response.subusers.map(({ id, name, nametag }) => {
            return { id, name, nametag, gateway: 'unknown' as const };
          }),
        );
        pageToken = response.nextPageToken;
        if (pageToken === '') break;
      }
      return { subusers, isTruncated: pageToken !== '', digest };
    },
    async listFriends(viewer, { pageToken, known }, budget) {
      const request = { pageSize, pageToken, knownDigest: known?.digest ?? '' };
      const response = await callPeer('social-graph', viewer, budget, (options) =>
        peers.socialGraph.listFriends(request, options),
      );
      return known && response.unchanged ? known : readFriends(response, pageSize);
    },
    async listScope({ userIds, gatewayUserIds, includeDead, pageToken, known }, budget) {
      const ids = { userIds: [...userIds], gatewayUserIds: [...gatewayUserIds] };
      const condition = { knownDigest: known?.digest ?? '' };
      const request = { ...ids, includeDead, pageSize, pageToken, ...condition };
      const response = await callPeer('agent-runtime', undefined, budget, (options) =>
        peers.agentRuntime.listScope(request, options),
      );
      if (!known || !response.unchanged) return readScope(response);
      return { ...known, changesInMs: response.changesInMs };
    },
  };
}

/** Calls other services on the viewer's behalf; without a viewer, as the service itself. */
function makeCallPeer(credential: Credential) {
  return async <T>(
    callee: string,
    viewer: Viewer | undefined,
    { timeoutMs, signal }: TimeBudget,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    const metadataFor = credential.metadata(callee, viewer && subjectOf(viewer));
    return call({ metadataFor, timeoutMs, signal }).catch((error: unknown) => {
      throw maskPeerAuthError(error);
    });
  };
}

/** Returns the user and agent on whose behalf a call is made. */
export function subjectOf({ userId, agentId, parentUserId }: Viewer) {
  return {
    userId,
    ...(agentId === undefined ? {} : { agentId }),
    ...(parentUserId === undefined ? {} : { parentUserId }),
  };
}
