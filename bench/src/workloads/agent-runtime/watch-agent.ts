import type { Workload } from '../../kit/workload';
import { openAgent } from '../shared/seed-history';
import { Conversation } from './conversation';

export type WatchScenario = Pick<Workload, 'name' | 'reach'> & {
  /** How many records the agent's history has. */
  readonly records: number;
  readonly watchers: number;
  /** What every watcher has to see: the record that begins the turn, or its answer. */
  readonly until: 'begun' | 'answered';
};

/**
 * Each operation waits for the previous turn to end, posts a message to one agent, and ends when every watcher has seen
 * the awaited record. The wait is part of the measured time.
 */
export function makeWatchWorkload(scenario: WatchScenario): Workload {
  const { records, watchers, until, ...names } = scenario;
  return {
    ...names,
    baseline: ['mongo-insert'],
    inFlight: [1],
    async prepare(stack) {
      const { connections, runtime, agent } = await openAgent(stack, records);
      const options = { afterSequence: records, watchers };
      const conversation = new Conversation(runtime, agent, options);
      let ended = Promise.resolve();
      return {
        async run() {
          await ended;
          ({ ended } = await conversation.post());
          if (until === 'answered') await ended;
        },
        async close() {
          conversation.close();
          connections.close();
        },
      };
    },
  };
}

/** One agent with up to 64 watchers. */
export const watchFanOutWorkloads: readonly Workload[] = [1, 16, 64].map((watchers) =>
  makeWatchWorkload({
    name: `agent-runtime WatchAgent, ${watchers} ${watchers === 1 ? 'watcher' : 'watchers'}`,
    records: 10,
    watchers,
    until: 'answered',
  }),
);
