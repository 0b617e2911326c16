import { ChangeHints } from '@daycare/messaging';
import {
  consumeUserNotices,
  hinting,
  joinInstance,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type ServiceKit,
} from '@daycare/service-kit';
import { buildSchedules } from './build-schedules';
import type { Config } from './config';
import { makeHintChanges } from './hint-changes';
import { openHomes } from './home/open-homes';
import { consumeMessages } from './events/on-system-message';
import { agentRuntimeHandler } from './rpc/agent-runtime-handler';
import { openPrograms } from './sandbox/open-programs';
import { makeCallTool, makeListTools } from './tools/call-tool';
import { LiveFeed } from './runtime/live-feed';
import { makeProviders } from './runtime/providers/provider-registry';
import { showTicks } from './runtime/runtime-metrics';
import { startRuntime } from './runtime/start-runtime';
import { openStores } from './store/open-stores';
import { makeCollectFiles } from './usecases/collect-files';
import { buildParts } from './build-parts';
import { buildUsecases } from './build-usecases';
import { buildTurns } from './build-turns';

const name = 'agent-runtime';
const minuteMs = 60_000;
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
