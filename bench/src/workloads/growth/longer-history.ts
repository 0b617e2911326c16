import type { Workload } from '../../kit/workload';
import { makeWatchWorkload } from '../agent-runtime/watch-agent';

/**
 * Each operation waits for the previous turn to end, posts a message, and ends when a watcher has received the record
 * that begins the turn. The wait is part of the measured time.
 */
export const longerHistoryWorkloads: readonly Workload[] = [10, 1_000, 100_000].map((records) =>
  makeWatchWorkload({
    name: `growth: PostMessage to turn seen, ${records.toLocaleString('en-US')} records`,
    ...(records === 1_000 ? {} : { reach: [1] }),
    records,
    watchers: 1,
    until: 'begun',
  }),
);
