import { join } from 'node:path';
import { shardOf } from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';
import { buildAgents } from './agents/build';
import type { Config } from './config';
import type { Connections } from './connect';
import { buildConnectors } from './connectors/build';
import { buildExec } from './exec/build';
import { buildFiles } from './files/build';
import { buildHomes } from './homes/build';
import { buildMemory } from './memory/build';
import { buildMessaging } from './messaging/build';
import { buildModels } from './models/build';
import { buildPeers } from './peers/build';
import { buildPermissions } from './permissions/build';
import { buildSchedules } from './schedules/build';
import { buildScope } from './scope/build';
import { buildSkills } from './skills/build';
import { buildSpending } from './spending/build';
import { buildSubusers } from './subusers/build';
import { checkToolPolicy } from './tools';
import { buildTools } from './tools/build';
import { buildTurns } from './turns/build';

export interface FeaturesDeps {
  readonly config: Config;
  readonly connections: Connections;
  readonly kit: ServiceKit;
  readonly now: () => Date;
}

export type Features = Awaited<ReturnType<typeof buildFeatures>>;

/** Builds every feature. Whatever a feature uses from one that is built later is wrapped in a function. */
export async function buildFeatures({ config, connections, kit, now }: FeaturesDeps) {
  const { sleepAfterMs, guards, usersDir, homeQuotaBytes } = config;
  const { db, identity, credential, directory, deletedUsers, outbox } = connections;
  const { feed, stream } = connections;
  const { hintUser, hintAgentCreated, hintAgentsReached } = connections.changes;
  const shardOfUser = (userId: string): number => shardOf(userId, stream.shards);
  const stopping = new AbortController();
  kit.stop.add('quiesce', 'watchers', async () => stopping.abort());

  const peers = buildPeers({
    identity,
    credential,
    socialGraphAddress: config.socialGraphAddress,
    topologyAddress: config.topologyAddress,
    tls: config.tls,
    stop: kit.stop,
  });
  const agents = buildAgents({
    db,
    deletedUsers,
    directory,
    shardOf: shardOfUser,
    // The features behind these functions need agents, so they are built later.
    countInboxItems: (owners) => messaging.inbox.countByAgent(owners),
    listPermissions: (agentIds) => permissions.permissionsOf(agentIds),
    routeMailbox: (userId) => messaging.routeMailbox(userId),
    currentModels: (found) => models.chooser.current(found),
    hintAgentCreated,
    hintUser,
    listen: (agentId, listener) => feed.watchAgent(agentId, listener),
    onInterrupt: (listener) => feed.onInterrupt(listener),
    isConnected: () => feed.isConnected,
    stopping: stopping.signal,
    sleepAfterMs,
    limits: config.agentLimits,
    checkToolPolicy: (policy, isSubuser) =>
      checkToolPolicy(policy, { isSubuser, ceiling: config.toolCeiling }, 'tool_policy'),
    now,
  });
  const files = buildFiles({
    db,
    // Homes, which share their quota with uploads, are built later.
    quota: {
      take: (...args) => uploadQuota.take(...args),
      recount: (userId) => uploadQuota.recount(userId),
    },
    converterProgram: join(__dirname, 'programs/convert.js'),
    log: kit.log,
    now,
  });
  const messaging = buildMessaging({
    db,
    agents: agents.store,
    history: agents.history,
    endings: agents.endings,
    rankForeground: agents.rankForeground,
    findOrCreateAgent: agents.findOrCreateAgent,
    findOrCreateWithoutMail: agents.findOrCreateWithoutMail,
    directory,
    // Subusers are built later.
    ensureGateways: (subuserIds) => subusers.ensureGateways(subuserIds),
    files: files.store,
    findRelation: peers.findRelation,
    deliverAcrossUsers: peers.deliverAcrossUsers,
    queueBehindWiredMessages: peers.queueBehindWiredMessages,
    outbox,
    wakeAgents: (shard, agentIds) => feed.wake(shard, agentIds),
    interruptAgent: (agentId) => feed.interrupt([agentId]),
    hintAgentsReached,
    hintUser,
    guards,
    sleepAfterMs,
    backgroundIdleMs: config.backgroundIdleMs,
    log: kit.log,
    now,
  });
  const permissions = buildPermissions({
    db,
    agents: agents.store,
    history: agents.history,
    inbox: messaging.inbox,
    rankForeground: agents.rankForeground,
    putItems: messaging.putItems,
    deliverToAgent: messaging.deliverToAgent,
    notifyWatchers: (userId) => feed.publishPermissionChange(userId),
    notifyFeed: (connector) => feed.publishFeedPermission(connector),
    listen: (userId, listener) => feed.watchPermissions(userId, listener),
    isConnected: () => feed.isConnected,
    permissionTtlMs: config.permissionTtlMs,
    stopping: stopping.signal,
    now,
  });
  const connectors = buildConnectors({
    agents: agents.store,
    entries: agents.feeds,
    permissions: permissions.feeds,
    listen: (connector, listener) => feed.watchFeed(connector, listener),
    listenToPermissions: (connector, listener) => feed.watchFeedPermissions(connector, listener),
    isConnected: () => feed.isConnected,
    stopping: stopping.signal,
  });
  const schedules = buildSchedules({
    db,
    agents: agents.store,
    inbox: messaging.inbox,
    endAgent: messaging.endAgent,
    findOrCreateAgent: agents.findOrCreateAgent,
    rankForeground: agents.rankForeground,
    deliverToAgent: messaging.deliverToAgent,
    deliverToForeground: messaging.deliverToForeground,
    files: files.store,
    interruptAgent: (agentId) => feed.interrupt([agentId]),
    ownerOf: agents.ownerOf,
    timeZoneOf: peers.timeZoneOf,
    shardOf: shardOfUser,
    hintUser,
    scheduleSpeed: config.scheduleSpeed,
    heartbeatEveryMs: config.heartbeatEveryMs,
    kit,
    now,
  });
  const scope = buildScope({
    outlines: agents.outlines,
    crons: schedules.crons,
    heartbeats: schedules.heartbeats,
    surveySchedules: schedules.survey,
    sleepAfterMs,
    now,
  });
  const {
    homes,
    searchFiles,
    uploadQuota,
    userDataStores: homeStores,
  } = await buildHomes({
    db,
    deletedUsers,
    ownerOf: agents.ownerOf,
    usersDir,
    homeQuotaBytes,
    measureUploads: (userId) => files.store.sizeOf(userId),
    log: kit.log,
    now,
  });
  const memory = homes && buildMemory({ homes, now });
  const skills = buildSkills({ homes, directory });
  const exec = await buildExec({
    db,
    hasPermission: permissions.hasPermission,
    homes,
    sandbox: config.sandbox,
    usersDir,
    homeQuotaBytes,
    kit,
    now,
  });
  const subusers = buildSubusers({
    subusers: peers.subusers,
    namesOfSubusers: peers.namesOfSubusers,
    agents: agents.store,
    findOrCreateAgent: agents.findOrCreateAgent,
    describeAgents: agents.describeAgents,
    ensureHome: async (userId) => homes?.ensure(userId),
  });
  const tools = buildTools({
    db,
    agents: agents.store,
    guards,
    toolCeiling: config.toolCeiling,
    peers,
    messaging,
    requestPermission: permissions.requestPermission,
    requestApproval: permissions.requestApproval,
    confirmApproval: permissions.confirmApproval,
    createAgent: agents.createAgent,
    schedules: schedules.usecases,
    subusers,
    skills: skills.catalog,
    homes,
    attachments: files,
    searchFiles,
    memory,
    runProgram: exec.runProgram,
    now,
  });
  const spending = buildSpending({
    db,
    agents: agents.store,
    usage: agents.usage,
    directory,
    rankForeground: agents.rankForeground,
    deliverToAgent: messaging.deliverToAgent,
    config: config.spending,
    addedPrice: (model) => models.addedPriceOf(model),
    knownPrice: (model) => models.knownPriceOf(model),
    modelLabel: (model) => models.labelOf(model),
    kit,
    now,
  });
  const models = buildModels({
    db,
    config: config.models,
    currency: spending.currency,
    agents: agents.store,
    usage: agents.usage,
    meter: spending.meter,
    priceOf: spending.priceOf,
    directory,
    kit,
    now,
  });
  const turns = buildTurns({
    db,
    agents: agents.store,
    history: agents.history,
    inbox: messaging.inbox,
    mailbox: messaging.inbox,
    deadLetters: messaging.deadLetters,
    expireTurnRequests: permissions.expireTurnRequests,
    hasPending: permissions.hasPending,
    deliverToAgent: messaging.deliverToAgent,
    endAgent: messaging.endAgent,
    endRun: schedules.endRun,
    routeMailbox: messaging.routeMailbox,
    models: models.chooser,
    tools: tools.registry,
    loadImages: files.loadImages,
    meter: spending.meter,
    skills: skills.catalog,
    feed,
    hintUser,
    shardCount: stream.shards,
    leaseTtlMs: config.leaseTtlMs,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    profileOf: peers.profileOf,
    contextLimits: config.contextLimits,
    turnLimits: config.turnLimits,
    guestTurnsPerHour: config.guestTurnsPerHour,
    maxTurns: config.maxTurns,
    maxTurnsPerUser: config.maxTurnsPerUser,
    kit,
    now,
  });

  return {
    agents,
    connectors,
    messaging,
    models,
    files,
    permissions,
    schedules,
    scope,
    spending,
    skills,
    tools,
    turns,
    userDataStores: [
      ...agents.userDataStores,
      ...messaging.userDataStores,
      ...files.userDataStores,
      ...permissions.userDataStores,
      ...schedules.userDataStores,
      ...exec.userDataStores,
      ...tools.userDataStores,
      ...spending.userDataStores,
      ...models.userDataStores,
      ...turns.userDataStores,
      ...homeStores,
    ],
  };
}
