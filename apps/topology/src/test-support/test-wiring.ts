import { createId } from '@paralleldrive/cuid2';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { SystemMessage } from '@daycare/contracts/common';
import type { Viewer } from '../domain/facts';
import { indexes, makeStores, type Stores } from '../store/open-stores';
import { makeChangeChannel } from '../usecases/change-channel';
import { makeCreateChannel } from '../usecases/create-channel';
import { makeEmitDueSignals } from '../usecases/emit-due-signals';
import { makeEmitSignal, type EmitSignalCall } from '../usecases/emit-signal';
import { makeJoinChannel } from '../usecases/join-channel';
import { makeLeaveChannel, makeSweepChannels } from '../usecases/leave-channel';
import { makeListChannelMessages } from '../usecases/list-channel-messages';
import { makeListSignals } from '../usecases/list-signals';
import { makeListWiring } from '../usecases/list-wiring';
import { makeCheckOwnAgent, type NamedAgent } from '../usecases/own-agent';
import { makeSendChannelMessage } from '../usecases/send-channel-message';
import { makeSubscribeSignal, makeUnsubscribeSignal } from '../usecases/subscribe-signal';

/** The usecases on a database of their own, with a clock that only moves when told to. */
export interface TestWiring extends ReturnType<typeof buildUsecases> {
  readonly mongo: MongoConnection;
  readonly stores: Stores;
  /** Agents that exist; whoever calls need not be among them. */
  readonly agents: Map<string, NamedAgent>;
  readonly stuck: unknown[];
  readonly passMs: (ms: number) => void;
  /** What waits in the outbox for an agent, in its order. */
  readonly heardBy: (agentId: string) => Promise<SystemMessage[]>;
}

/** A caller that is an agent. */
export interface TestAgent {
  readonly userId: string;
  readonly agentId: string;
}

export const signal = new AbortController().signal;

/** What a call to emit a signal says unless told otherwise. */
export function emission(caller: Viewer, changes: Partial<EmitSignalCall> = {}): EmitSignalCall {
  const content = { type: 'build:done', dataJson: '', delayMs: 0, repeatKey: '' };
  return { caller, requestId: createId(), ...content, ...changes };
}

export async function startTestWiring(): Promise<TestWiring> {
  const mongo = await testDatabase('wiring');
  await ensureIndexes(mongo.db, indexes);
  const stores = makeStores(mongo, 'topology');
  const clock = { now: Date.now() };
  const agents = new Map<string, NamedAgent>();
  const stuck: unknown[] = [];
  const usecases = buildUsecases(stores, { now: () => new Date(clock.now), agents, stuck });
  return {
    ...usecases,
    mongo,
    stores,
    agents,
    stuck,
    passMs: (ms) => void (clock.now += ms),
    async heardBy(agentId) {
      const rows = await mongo.db
        .collection<{ payload: { buffer: Uint8Array } }>('outbox')
        .find({ lane: { $regex: `>${agentId}$` } })
        .sort({ lane: 1, seq: 1 })
        .toArray();
      return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
    },
  };
}

interface TestParts {
  readonly agents: ReadonlyMap<string, NamedAgent>;
  readonly stuck: unknown[];
  readonly now: () => Date;
}

export function buildUsecases(stores: Stores, { now, agents, stuck }: TestParts) {
  const checkOwnAgent = makeCheckOwnAgent(async (_, agentId) => agents.get(agentId));
  const reportStuck = (_: string, error: unknown): void => void stuck.push(error);
  const changeChannel = makeChangeChannel({ ...stores, now });
  const wake = (): void => undefined;
  const deps = {
    ...stores,
    ...{ checkOwnAgent, reportStuck, changeChannel, wake, now, newId: createId },
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
  };
}
