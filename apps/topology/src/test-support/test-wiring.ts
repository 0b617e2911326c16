import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { SystemMessage } from '@daycare/contracts/common';
import type { Viewer } from '../domain/viewer';
import { indexes, makeStores, type Stores } from '../store/open-stores';
import { makeChangeChannel } from '../usecases/channels/change-channel';
import { makeCreateChannel } from '../usecases/channels/create-channel';
import { makeEmitDueSignals } from '../usecases/signals/emit-due-signals';
import { makeEmitSignal, type EmitSignalCall } from '../usecases/signals/emit-signal';
import { makeJoinChannel } from '../usecases/channels/join-channel';
import { makeLeaveChannel, makeSweepChannels } from '../usecases/channels/leave-channel';
import { makeListChannelMessages } from '../usecases/channels/list-channel-messages';
import { makeListSignals } from '../usecases/signals/list-signals';
import { makeListWiring } from '../usecases/view/list-wiring';
import { makeCheckOwnAgent, type FoundAgent } from '../usecases/check-own-agent';
import { makeConfirmAlive, makeEndAgent, makeSweepEndedAgents } from '../usecases/ending/end-agent';
import { makeSendChannelMessage } from '../usecases/channels/send-channel-message';
import { makeSubscribeSignal, makeUnsubscribeSignal } from '../usecases/signals/subscribe-signal';

/** The usecases on a separate database, with a clock that only `advanceMs` moves. */
export interface TestWiring extends ReturnType<typeof buildUsecases> {
  readonly mongo: MongoConnection;
  readonly stores: Stores;
  /** Agents that exist in addition to the callers, and callers that are dead. */
  readonly agents: Map<string, FoundAgent>;
  /** Why signals could not be emitted, in order. */
  readonly stuck: unknown[];
  readonly advanceMs: (ms: number) => void;
  /** Returns the messages in the outbox for an agent, in order. */
  readonly deliveredTo: (agentId: string) => Promise<SystemMessage[]>;
}

/** An agent as a caller. */
export interface TestAgent {
  readonly userId: string;
  readonly agentId: string;
}

/** The signal of a caller that never disconnects. */
export const signal = new AbortController().signal;

/** Returns a call that emits a signal; defaults can be overridden. */
export function emission(caller: Viewer, changes: Partial<EmitSignalCall> = {}): EmitSignalCall {
  const content = { type: 'build:done', dataJson: '', delayMs: 0, repeatKey: '' };
  return { caller, requestId: createId(), ...content, ...changes };
}

async function startTestWiring(): Promise<TestWiring> {
  const mongo = await testDatabase('wiring');
  await ensureIndexes(mongo.db, indexes);
  const stores = makeStores(mongo, 'topology');
  const clock = { now: Date.now() };
  const agents = new Map<string, FoundAgent>();
  const stuck: unknown[] = [];
  const usecases = buildUsecases(stores, { now: () => new Date(clock.now), agents, stuck });
  return {
    ...usecases,
    mongo,
    stores,
    agents,
    stuck,
    advanceMs: (ms) => void (clock.now += ms),
    async deliveredTo(agentId) {
      const rows = await mongo.db
        .collection<{ payload: { buffer: Uint8Array } }>('outbox')
        .find({ lane: { $regex: `>${agentId}$` } })
        .sort({ lane: 1, seq: 1 })
        .toArray();
      return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
    },
  };
}

interface TestDeps {
  readonly agents: ReadonlyMap<string, FoundAgent>;
  readonly stuck: unknown[];
  readonly now: () => Date;
}

export function buildUsecases(stores: Stores, { now, agents, stuck }: TestDeps) {
  const checkOwnAgent = makeCheckOwnAgent(async (caller, agentId) => {
    const isCaller = agentId === caller.agentId;
    return agents.get(agentId) ?? (isCaller ? { userId: caller.userId, isDead: false } : undefined);
  });
  const reportStuck = (_: string, error: unknown): void => void stuck.push(error);
  const changeChannel = makeChangeChannel({ ...stores, now });
  const doNothing = (): void => undefined;
  const emitting = { wake: doNothing, onScheduled: doNothing, lookAheadMs: 2_000 };
  const ending = { closeConnections: doNothing, hint: doNothing };
  const endAgent = makeEndAgent({ ...stores, ...ending, changeChannel, now });
  const confirmAlive = makeConfirmAlive(stores.endedAgents, endAgent);
  const deps = {
    ...stores,
    checkOwnAgent,
    confirmAlive,
    reportStuck,
    changeChannel,
    now,
    newId: createId,
    ...emitting,
  };
  return {
    emitSignal: makeEmitSignal(deps),
    emitDueSignals: makeEmitDueSignals(deps),
    subscribeSignal: makeSubscribeSignal(deps),
    unsubscribeSignal: makeUnsubscribeSignal(deps),
    listSignals: makeListSignals(deps),
    createChannel: makeCreateChannel(deps),
    joinChannel: makeJoinChannel(deps),
    leaveChannel: makeLeaveChannel(deps),
    sweepChannels: makeSweepChannels(deps),
    sendChannelMessage: makeSendChannelMessage(deps),
    listChannelMessages: makeListChannelMessages(deps),
    listWiring: makeListWiring(deps),
    endAgent,
    sweepEndedAgents: makeSweepEndedAgents(deps, endAgent),
  };
}

/** Provides one wiring, shared by all tests in a file. */
export function useTestWiring(): TestWiring {
  return useFixture(async () => {
    const wiring = await startTestWiring();
    return Object.assign(wiring, { close: () => wiring.mongo.close() });
  });
}
