import { createId } from '@daycare/api/create-id';
import { AgentRole } from '@daycare/contracts/agent-runtime';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { ContextTalk, factTurn } from './context-talk';
import { growthOf } from './memory-growth';
import type { MemoryGauge, MemoryReading } from './replica-memory';
import { WindowedServer, type SeenCalls } from './windowed-server';

export interface ContextsOptions {
  readonly stack: Stack;
  readonly turns: number;
  /** Every other message is from a friend who tries to overflow the agent. */
  readonly hasHostileFriend: boolean;
  readonly window: number;
  readonly bytesPerToken?: number;
  /** Measures the replica, which must have been started with the environment of the gauge. */
  readonly gauge?: MemoryGauge;
  readonly signal?: AbortSignal;
  readonly report?: (line: string) => void;
}

export interface ContextsFigures extends SeenCalls {
  readonly turns: number;
  readonly seconds: number;
  /** The memory of the replica, at regular points. */
  readonly memory: readonly MemoryReading[];
  readonly faults: readonly string[];
}

const points = 20;

/**
 * Talks with one agent for a long time, and checks that it answers everything and still knows the first
 * facts.
 */
export async function runContexts(options: ContextsOptions): Promise<ContextsFigures> {
  const { stack, turns, window, bytesPerToken = 4, hasHostileFriend, signal } = options;
  const model = await WindowedServer.start({ window, bytesPerToken });
  let removeModel = async (): Promise<void> => undefined;
  try {
    const [ada, eve] = await stack.people.newFriends();
    removeModel = await useModel(stack, ada, model, window);
    const talk = await ContextTalk.begin(stack, ada, eve);
    const startedMs = performance.now();
    const memory: MemoryReading[] = [];
    let at = 0;
    for (; at < turns && !signal?.aborted; at += 1) {
      const isHostile = hasHostileFriend && at > factTurn && at % 2 === 1;
      await talk.turn(at, isHostile ? 'friend' : 'person');
      if (options.gauge && at % Math.ceil(turns / points) === 0)
        memory.push(await options.gauge.read(stack.service('agent-runtime').pid));
      if (at % 250 === 249) options.report?.(progressLine(at + 1, startedMs, model.seen));
    }
    const faults = await talk.finish(at, model.seen);
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return { turns: at, ...model.seen, seconds, memory, faults: [...faults, ...growthOf(memory)] };
  } finally {
    await removeModel();
    await model.close();
  }
}

/**
 * Adds the model's provider at run time; only this person uses it. Returns a function that removes it.
 */
async function useModel(
  { runtime, people }: Stack,
  ada: Person,
  { url }: WindowedServer,
  window: number,
): Promise<() => Promise<void>> {
  const name = `soak-${createId().slice(0, 8)}`;
  const admin = await people.signIn('');
  const models = [{ id: 'windowed', contextWindow: window, maxOutputTokens: 4_000, images: true }];
  await runtime.addModelProvider({ requestId: createId(), name, url, models }, admin);
  const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
  const chosen = { requestId: createId(), ...scope, models: [`${name}/windowed`] };
  await runtime.setModel(chosen, ada.as);
  return async () => {
    await runtime.removeModelProvider({ requestId: createId(), name }, await people.signIn(''));
  };
}

function progressLine(turns: number, startedMs: number, seen: SeenCalls): string {
  const perTurn = (performance.now() - startedMs) / turns;
  return `${turns} turns, ${perTurn.toFixed(0)} ms each; ${JSON.stringify(seen)}`;
}
