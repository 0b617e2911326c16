import {
  consumeUserNotices,
  makeSweepDeletedUsers,
  repeat,
  repeatWhenDue,
  type BuiltService,
  type ServiceKit,
} from '@daycare/service-kit';
import { buildFeatures, type Features } from './build-features';
import type { Config } from './config';
import { connect, type Connections } from './connect';
import { indexes } from './indexes';
import { agentRuntimeHandler } from './rpc/agent-runtime-handler';

const name = 'agent-runtime';
const minuteMs = 60_000;
const now = (): Date => new Date();

/** Connects, builds the features, starts the consumers and the agents' turns, and returns the RPC handler. */
export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const connections = await connect(name, { config, indexes, kit, now });
  const features = await buildFeatures({ config, connections, kit, now });
  const {
    agents,
    messaging,
    models,
    permissions,
    schedules,
    files,
    scope,
    skills,
    spending,
    tools,
    turns,
  } = features;
  const { connection, stream, authenticate } = connections;
  // Must run before any turn, so that no turn handles messages whose tie ended while the service was down.
  await messaging.startClosings({ connection, stream, kit });
  const scheduleRunner = schedules.startRunner({ servedShards: turns.servedShards });
  await turns.start({ onShardGained: () => scheduleRunner.poll() });
  messaging.startConsumer({ connection, stream, ackWaitMs: config.leaseTtlMs, kit });
  startUserNotices(connections, features, kit);
  repeat('clean up after ended ties', minuteMs, messaging.sweepClosedMessages, kit, {
    runImmediately: true,
  });
  repeat('finish ending agents', 10_000, messaging.sweepEndings, kit);
  repeat('end idle background agents', 10_000, messaging.endIdleAgents, kit);
  repeat('delete unused files', 60 * minuteMs, files.collectFiles, kit);
  const expiryPollMs = pollMsForExpiry(config.permissionTtlMs);
  repeatWhenDue('expire permission requests', expiryPollMs, permissions.expirePermissions, kit);
  repeat('follow up on permission requests', 5_000, permissions.finishPermissions, kit);
  const handler = agentRuntimeHandler({
    agents,
    connectors: features.connectors,
    messaging,
    models,
    permissions,
    schedules: schedules.usecases,
    files,
    scope,
    skills: skills.review,
    spending,
    tools,
    operate: turns.operate,
    status: kit.status.handlers,
  });
  return { services: [handler], authenticate };
}

/**
 * Returns how often to poll for expired permission requests: ten times in a request's lifetime, but at least every 10 s
 * and not more often than every 2 s. Polling is needed because other replicas store requests, too.
 */
function pollMsForExpiry(permissionTtlMs: number): number {
  return Math.min(10_000, Math.max(2_000, permissionTtlMs / 10));
}

/** Consumes identity's notices: deletes the data of deleted users and renames the gateways of renamed subusers. */
function startUserNotices(
  { connection, stream, deletedUsers }: Connections,
  { agents, messaging }: Features,
  kit: ServiceKit,
): void {
  const { forgetUser, renameGateway } = agents;
  consumeUserNotices({
    service: name,
    connection,
    stream,
    forgetUser,
    renameUser: renameGateway,
    storeDeadLetter: ({ id, payload, reason }) =>
      messaging.storeUndelivered({ id, message: undefined, payload, reason }),
    kit,
  });
  const sweepDeletedUsers = makeSweepDeletedUsers({ deletedUsers, now }, forgetUser);
  repeat('clean up after deleted users', minuteMs, sweepDeletedUsers, kit);
}
