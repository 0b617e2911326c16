import { join } from 'node:path';
import { shardOf } from '@daycare/messaging';
import type { ServiceKit, UserDataStore } from '@daycare/service-kit';
import { buildAgents } from './agents/build';
import type { Config } from './config';
import type { Connections } from './connect';
import { buildConnectors } from './connectors/build';
import { buildFiles } from './files/build';
import type { Homes } from './homes/build';
import { buildMessaging, type Messaging } from './messaging/build';
import type { Models } from './models/build';
import { buildPeers } from './peers/build';
import { buildPermissions, type Permissions } from './permissions/build';
import type { buildSubusers } from './subusers/build';
import { checkToolPolicy } from './tools';

export interface FeaturesDeps {
  readonly config: Config;
  readonly connections: Connections;
  readonly kit: ServiceKit;
  readonly now: () => Date;
}

/**
 * What features use from features that are built after them. Assigned when all are built; nothing may call a feature
 * before that.
 */
export interface LaterFeatures {
  readonly messaging: Messaging;
  readonly permissions: Permissions;
  readonly homes: Homes;
  readonly subusers: ReturnType<typeof buildSubusers>;
  readonly models: Models;
  /** The stores of all features. */
  readonly userDataStores: readonly UserDataStore[];
}

export type Core = ReturnType<typeof buildCore>;

/** Builds agents, and how messages and decisions reach them. */
export function buildCore({ config, connections, kit, now }: FeaturesDeps, later: LaterFeatures) {
  const { guards, sleepAfterMs } = config;
  const { db, identity, credential, directory, deletedUsers, feed, stream } = connections;
  const { hintUser, hintAgentCreated, hintAgentsReached } = connections.changes;
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
    shardOf: (userId) => shardOf(userId, stream.shards),
    countInboxItems: (owners) => later.messaging.inbox.countByAgent(owners),
    listPermissions: (agentIds) => later.permissions.permissionsOf(agentIds),
    routeMailbox: (userId) => later.messaging.routeMailbox(userId),
    currentModels: (found) => later.models.chooser.current(found),
    hintAgentCreated,
    hintUser,
    listen: (agentId, listener) => feed.watchAgent(agentId, listener),
    onInterrupt: (listener) => feed.onInterrupt(listener),
    isConnected: () => feed.isConnected,
    stopping: stopping.signal,
    sleepAfterMs,
    userDataStores: () => later.userDataStores,
    limits: config.agentLimits,
    checkToolPolicy: (policy, isSubuser) =>
      checkToolPolicy(policy, { isSubuser, ceiling: config.toolCeiling }, 'tool_policy'),
    now,
  });
  const files = buildFiles({
    db,
    quota: {
      take: (...args) => later.homes.uploadQuota.take(...args),
      recount: (userId) => later.homes.uploadQuota.recount(userId),
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
    ensureGateways: (subuserIds) => later.subusers.ensureGateways(subuserIds),
    files: files.store,
    findRelation: peers.findRelation,
    deliverAcrossUsers: peers.deliverAcrossUsers,
    queueBehindWiredMessages: peers.queueBehindWiredMessages,
    outbox: connections.outbox,
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
    placeItems: messaging.placeItems,
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
  return { peers, agents, files, messaging, permissions, connectors };
}
