import { createId } from '@paralleldrive/cuid2';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { ChangeHints, shardOf, type SystemStream } from '@daycare/messaging';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import {
  consumeUserNotices,
  hinting,
  joinInstance,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type Membership,
  type ServiceKit,
} from '@daycare/service-kit';
import { buildMemory } from './build-memory';
import { buildSchedules } from './build-schedules';
import type { Config } from './config';
import type { Agent } from './domain/agent';
import type { AgentRole } from './domain/descriptor-kinds';
import { readersOf, type PermissionRequest } from './domain/permission';
import { makeHintChanges } from './hint-changes';
import { openHomes } from './home/open-homes';
import type { UserHomes } from './home/user-homes';
import { consumeMessages, readIncoming } from './events/on-system-message';
import { agentRuntimeHandler } from './rpc/agent-runtime-handler';
import { makeSubusers } from './rpc/identity-client';
import { makeFindRelation, makeFriends } from './rpc/social-graph-client';
import { makeEndpoints } from './rpc/endpoints-client';
import { makeShowTopology } from './rpc/topology-client';
import { openPrograms } from './sandbox/open-programs';
import { makeChannels, makeSignals } from './rpc/wiring-client';
import { makePromptFor } from './prompts/system-prompt';
import { makeSkillCatalog } from './skills/skill-catalog';
import { makeUserSkills } from './skills/user-skills';
import { makeTools } from './tools';
import { makeCallTool, makeListTools } from './tools/call-tool';
import { LiveFeed } from './runtime/live-feed';
import { makeProviders, type Providers } from './runtime/providers/provider-registry';
import { showTicks } from './runtime/runtime-metrics';
import { startRuntime } from './runtime/start-runtime';
import { openStores, type Stores } from './store/open-stores';
import { ToolRegistry } from './tools/tool-registry';
import { makeCollectFiles } from './usecases/collect-files';
import { makeListDeadLetters, makeRetryDeadLetter } from './usecases/dead-letters';
import {
  makeDeliverSystemMessage,
  makeRedeliverSystemMessage,
} from './usecases/deliver-system-message';
import { makeConfigureSubuser } from './usecases/configure-subuser';
import { makeCreateSubuser } from './usecases/create-subuser';
import { makeDeleteSubuser } from './usecases/delete-subuser';
import { makeListSubusers } from './usecases/list-subusers';
import { makeRenameSubuser } from './usecases/rename-subuser';
import { makeDecidePermission } from './usecases/decide-permission';
import { makeExpirePermissions } from './usecases/expire-permissions';
import { makeFinishPermissions, makeFollowUpPermission } from './usecases/follow-up-permission';
import { makeListPermissionRequests } from './usecases/list-permission-requests';
import { makeRequestPermission } from './usecases/request-permission';
import { makeWatchPermissionRequests } from './usecases/watch-permission-requests';
import { makeDescribeAgents } from './usecases/describe-agents';
import { makeDownloadFile } from './usecases/download-file';
import { makeEnsureAgent, makeFindOrMakeAgent } from './usecases/ensure-agent';
import { makeExportAgent } from './usecases/export-agent';
import { makeForgetUser, makeSweepGoneUsers } from './usecases/forget-user';
import { makeGetAgent } from './usecases/get-agent';
import { makeKeepUndelivered } from './usecases/keep-undelivered';
import { makeListAgents } from './usecases/list-agents';
import { makeListHistory } from './usecases/list-history';
import { makeListScope } from './usecases/list-scope';
import { makePostMessage } from './usecases/post-message';
import { makePutItems } from './usecases/put-items';
import { makeRankForeground } from './usecases/rank-foreground';
import { makeResetAgent } from './usecases/reset-agent';
import { makeRouteMailbox } from './usecases/route-mailbox';
import type { RunProgram } from './usecases/run-program';
import { makeSendAgentMessage } from './usecases/send-agent-message';
import { makeStartBackgroundAgent } from './usecases/start-background-agent';
import { makeTellAgent } from './usecases/tell-agent';
import { makeUploadFile } from './usecases/upload-file';
import { makeWatchAgent } from './usecases/watch-agent';

const name = 'agent-runtime';
const minuteMs = 60_000;
const watchPollMs = 2_000;
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const membership = await joinInstance(name, config, kit);
  const stores = await openStores(config, name, kit);
  const { connection } = await openNats(config, name, kit);
  const stream = systemStreamOf(config);
  const feed = new LiveFeed(connection, config.natsPrefix);
  const providers = makeProviders(config.providers, { log: kit.log });
  const wakeOutbox = startOutbox(config, { ...stores, connection }, kit);
  const homes = await openHomes(config, { ...stores, now }, kit);
  const hint = makeHintChanges({
    ...config,
    ...membership,
    hints: new ChangeHints(connection, config.natsPrefix),
    now,
    report: (err) => kit.log.warn({ err }, 'cannot hint an owner; it looks by itself'),
  });
  const surroundings = { feed, hint, stream, providers, wakeOutbox, homes };
  const parts = buildParts(config, stores, membership, surroundings);
  const schedules = buildSchedules(config, { stores, now, showTick: showTicks(kit), ...parts });
  const { calls, firing } = hint.scheduling(schedules);
  const usecases = {
    ...buildUsecases(config, stores, membership, { feed, hint, ...parts }, kit),
    ...calls,
  };
  const runProgram = await openPrograms(config, { ...stores, homes, now }, kit);
  const turns = buildTurns(config, stores, membership, {
    providers,
    ...parts,
    ...usecases,
    runProgram,
  });
  await startRuntime(config, { stores, feed, stream, now, turns, firing, ...parts }, kit);
  consumeMessages({ connection, stream, ackWaitMs: config.leaseTtlMs, ...parts, kit });
  consumeUserNotices({
    service: name,
    connection,
    stream,
    forgetUser: parts.forgetUser,
    renameUser: hinting(
      (userId: string, name: string, at: Date) => stores.agents.renameGateway(userId, name, at),
      (_done, userId) => hint.hintUser(userId),
    ),
    keepDeadLetter: ({ id, payload, reason }) =>
      parts.keepUndelivered({ id, message: undefined, payload, reason }),
    kit,
  });
  repeat('sweep after deleted users', minuteMs, parts.sweepGoneUsers, kit);
  repeat('collect files', 60 * minuteMs, makeCollectFiles({ files: stores.files, now }), kit);
  repeat('expire permission requests', 2_000, usecases.expirePermissions, kit);
  repeat('finish permission requests', 5_000, usecases.finishPermissions, kit);
  const toolCalls = {
    callTool: makeCallTool({ ...stores, ...turns }),
    listTools: makeListTools({ ...stores, ...turns }),
  };
  return {
    services: [agentRuntimeHandler({ ...usecases, ...toolCalls })],
    authenticate: membership.authenticate,
  };
}

interface Surroundings {
  readonly feed: LiveFeed;
  readonly hint: ReturnType<typeof makeHintChanges>;
  readonly stream: SystemStream;
  readonly providers: Providers;
  readonly wakeOutbox: (lanes: readonly string[]) => void;
  /** Undefined where users have no directories. */
  readonly homes: UserHomes | undefined;
}

type Parts = ReturnType<typeof buildParts>;

/** What calls, messages and turns share. */
function buildParts(
  { sleepAfterMs, tls, socialGraphAddress, topologyAddress }: Config,
  stores: Stores,
  { directory }: Membership,
  { feed, hint, stream, providers, wakeOutbox, homes }: Surroundings,
) {
  const modelFor = (role: AgentRole) => providers.defaultFor(role);
  const common = { ...stores, directory, now, sleepAfterMs, modelFor, newId: createId };
  const wake = (shard: number, agentIds: readonly string[]): void => feed.wake(shard, agentIds);
  const shardOfUser = (userId: string): number => shardOf(userId, stream.shards);
  const putItems = hint.waking(makePutItems({ ...stores, wake }));
  const rankForeground = makeRankForeground(common);
  const routeMailbox = makeRouteMailbox({ ...common, rankForeground, putItems });
  const routing = { ...common, putItems, routeMailbox, shardOf: shardOfUser };
  const redeliver = makeRedeliverSystemMessage(routing);
  const keepers = homes ? [...stores.keepers, homes] : stores.keepers;
  const forgetUser = makeForgetUser({ ...common, keepers });
  const credentials = channelCredentials(tls);
  return {
    wake,
    homes,
    shardOf: shardOfUser,
    putItems,
    rankForeground,
    routeMailbox,
    redeliver,
    forgetUser,
    socialGraph: createRpcClient(SocialGraphServiceService, {
      address: socialGraphAddress,
      credentials,
    }),
    topology: createRpcClient(TopologyServiceService, { address: topologyAddress, credentials }),
    deliver: makeDeliverSystemMessage(stores, redeliver),
    keepUndelivered: makeKeepUndelivered(common),
    findOrMakeAgent: hint.making(makeFindOrMakeAgent(routing)),
    tellAgent: makeTellAgent({ ...common, putItems, wakeOutbox }),
    sweepGoneUsers: makeSweepGoneUsers(common, forgetUser),
  };
}

function buildUsecases(
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

type TurnDeps = Parts &
  ReturnType<typeof buildUsecases> &
  ReturnType<typeof buildSchedules>['calls'] &
  Pick<Surroundings, 'providers'> & { readonly runProgram: RunProgram | undefined };

/** What an agent thinks with and what it can do. */
function buildTurns(
  { guards }: Config,
  stores: Stores,
  { identity, credential }: Membership,
  { providers, ...deps }: TurnDeps,
) {
  const skills = makeSkillCatalog(makeUserSkills(deps.homes));
  const subusers = makeSubusers(identity, credential);
  const ensureHome = async (userId: string): Promise<void> => deps.homes?.ensure(userId);
  const subuserDeps = { ...stores, ...deps, subusers, ensureHome };
  const tools = makeTools({
    guards,
    ...deps,
    skills,
    memory: deps.homes && buildMemory({ homes: deps.homes, now }),
    friends: makeFriends(deps.socialGraph, credential),
    showTopology: makeShowTopology(deps.topology, credential),
    signals: makeSignals(deps.topology, credential),
    channels: makeChannels(deps.topology, credential),
    endpoints: makeEndpoints(deps.topology, credential),
    createSubuser: makeCreateSubuser(subuserDeps),
    configureSubuser: makeConfigureSubuser(subuserDeps),
    renameSubuser: makeRenameSubuser(subuserDeps),
    deleteSubuser: makeDeleteSubuser(subuserDeps),
    listSubusers: makeListSubusers(subuserDeps),
  });
  return {
    providerOf: ({ provider }: Agent) => providers.find(provider),
    tools: new ToolRegistry(tools),
    promptFor: makePromptFor({ skills }),
  };
}
