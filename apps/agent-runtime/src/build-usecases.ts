import { createId } from '@paralleldrive/cuid2';
import { hinting, type Membership, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { readersOf, type PermissionRequest } from './domain/permission';
import { readIncoming } from './events/on-system-message';
import { makeFindRelation } from './rpc/social-graph-client';
import type { Stores } from './store/open-stores';
import { makeListDeadLetters, makeRetryDeadLetter } from './usecases/dead-letters';
import { makeDecidePermission } from './usecases/decide-permission';
import { makeExpirePermissions } from './usecases/expire-permissions';
import { makeFinishPermissions, makeFollowUpPermission } from './usecases/follow-up-permission';
import { makeListPermissionRequests } from './usecases/list-permission-requests';
import { makeRequestPermission } from './usecases/request-permission';
import { makeWatchPermissionRequests } from './usecases/watch-permission-requests';
import { makeDescribeAgents } from './usecases/describe-agents';
import { makeDownloadFile } from './usecases/download-file';
import { makeEnsureAgent } from './usecases/ensure-agent';
import { makeExportAgent } from './usecases/export-agent';
import { makeGetAgent } from './usecases/get-agent';
import { makeListAgents } from './usecases/list-agents';
import { makeListHistory } from './usecases/list-history';
import { makeListScope } from './usecases/list-scope';
import { makePostMessage } from './usecases/post-message';
import { makeResetAgent } from './usecases/reset-agent';
import { makeSendAgentMessage } from './usecases/send-agent-message';
import { makeStartBackgroundAgent } from './usecases/start-background-agent';
import { makeUploadFile } from './usecases/upload-file';
import { makeWatchAgent } from './usecases/watch-agent';
import type { Parts, Surroundings } from './build-parts';

const watchPollMs = 2_000;
const now = (): Date => new Date();

/** What calls are answered with. */
export function buildUsecases(
  config: Config,
  stores: Stores,
  { directory, credential }: Membership,
  { feed, hint, ...parts }: Parts & Pick<Surroundings, 'feed' | 'hint'>,
  { stop }: ServiceKit,
) {
  const { sleepAfterMs, guards } = config;
  stop.add('close', 'social-graph client', async () => parts.socialGraph.close());
  stop.add('close', 'topology client', async () => parts.topology.close());
  const stopping = new AbortController();
  stop.add('quiesce', 'watchers', async () => stopping.abort());
  const describeAgents = makeDescribeAgents({ ...stores, sleepAfterMs, now });
  const common = { ...stores, ...parts, directory, describeAgents, sleepAfterMs, guards, now };
  const findRelation = makeFindRelation(parts.socialGraph, credential);
  const redeliver = (payload: Uint8Array): Promise<void> => parts.redeliver(readIncoming(payload));
  return {
    ...buildPermissions(config, stores, { feed, ...parts }, stopping.signal),
    describeAgents,
    postMessage: hinting(makePostMessage(common), hint.ofCall),
    watchAgent: makeWatchAgent({
      ...stores,
      listen: (agentId, listener) => feed.watch(agentId, listener),
      pollMs: watchPollMs,
      stopping: stopping.signal,
    }),
    getAgent: makeGetAgent(common),
    listAgents: makeListAgents(common),
    resetAgent: makeResetAgent(common),
    sendAgentMessage: makeSendAgentMessage({ ...common, findRelation }),
    startBackgroundAgent: makeStartBackgroundAgent(common),
    listHistory: makeListHistory(stores),
    exportAgent: makeExportAgent(common),
    listDeadLetters: makeListDeadLetters(stores),
    retryDeadLetter: makeRetryDeadLetter({ ...common, redeliver }),
    uploadFile: makeUploadFile({ ...stores, newId: createId, now }),
    downloadFile: makeDownloadFile(stores),
    ensureAgent: makeEnsureAgent(parts.findOrMakeAgent),
    listScope: makeListScope(common),
  };
}

/** What agents may ask people to allow them. */
function buildPermissions(
  { permissionTtlMs }: Config,
  stores: Stores,
  { feed, ...parts }: Parts & Pick<Surroundings, 'feed'>,
  stopping: AbortSignal,
) {
  const hintReaders = (request: PermissionRequest): void =>
    readersOf(request).forEach((userId) => feed.tellUser(userId));
  const followUp = makeFollowUpPermission({ ...stores, ...parts });
  const common = { ...stores, ...parts, followUp, hintReaders, permissionTtlMs, now };
  return {
    requestPermission: makeRequestPermission(common),
    decidePermission: makeDecidePermission(common),
    listPermissionRequests: makeListPermissionRequests(common),
    watchPermissionRequests: makeWatchPermissionRequests({
      ...common,
      listen: (userId, listener) => feed.watchUser(userId, listener),
      pollMs: watchPollMs,
      stopping,
    }),
    expirePermissions: makeExpirePermissions(common),
    finishPermissions: makeFinishPermissions(common),
  };
}
