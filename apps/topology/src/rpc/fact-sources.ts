import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { RpcClient } from '@daycare/rpc';
import { makeCallPeer, type PeerAccess } from '@daycare/service-kit';
import type { Subuser, SubuserFacts } from '../domain/view/facts';
import type { Viewer } from '../domain/viewer';
import type { FactSources } from '../usecases/view/fact-sources';
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
  const callIdentity = makeCallPeer(credential, 'identity');
  const callSocialGraph = makeCallPeer(credential, 'social-graph');
  const callAgentRuntime = makeCallPeer(credential, 'agent-runtime');
  return {
    findNametag: async ({ userId }) => (await peers.directory.findById(userId))?.nametag,
    async listSubusers(viewer, known, budget): Promise<SubuserFacts> {
      const subusers: Subuser[] = [];
      let [pageToken, digest] = ['', ''];
      for (let page = 0; page < maxSubuserPages; page++) {
        const condition = page === 0 ? { knownDigest: known?.digest ?? '' } : {};
        const request = { pageSize, pageToken, ...condition };
        const response = await callIdentity(
          (options) => peers.identity.listSubusers(request, { ...options, ...budget }),
          subjectOf(viewer),
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
      const response = await callSocialGraph(
        (options) => peers.socialGraph.listFriends(request, { ...options, ...budget }),
        subjectOf(viewer),
      );
      return known && response.unchanged ? known : readFriends(response);
    },
    async listScope({ userIds, gatewayUserIds, includeDead, pageToken, known }, budget) {
      const ids = { userIds: [...userIds], gatewayUserIds: [...gatewayUserIds] };
      const condition = { knownDigest: known?.digest ?? '' };
      const request = { ...ids, includeDead, pageSize, pageToken, ...condition };
      const response = await callAgentRuntime((options) =>
        peers.agentRuntime.listScope(request, { ...options, ...budget }),
      );
      if (!known || !response.unchanged) return readScope(response);
      return { ...known, changesInMs: response.changesInMs };
    },
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
