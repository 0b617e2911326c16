import { computed, signal } from '@preact/signals';
import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { daycare } from './client';
import type { LiveContext } from './windows/live-context';
import { startPause } from './timing/pause';
import { refreshShared, type SharedStream } from './windows/share-live';

interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  readonly hasMore: boolean;
}

const received = signal<DeadLetterPage | undefined>(undefined);

/**
 * The latest messages that my agents and those of my subusers could not handle, newest first; undefined until loaded.
 */
export const deadLetters = computed(() => received.value?.letters);

/** Whether there are older dead letters than those in `deadLetters`. */
export const hasMoreDeadLetters = computed(() => received.value?.hasMore === true);

const pollMs = 30_000;
const pageSize = 200;
const name = 'dead letters';
let wake = (): void => undefined;

/** Polls dead letters, because there is no stream of them. */
async function follow(live: LiveContext): Promise<void> {
  const { signal: end } = live;
  while (!end.aborted) {
    const request = { pageSize, pageToken: '', agentId: '' };
    const page = await daycare.rpc.agentRuntime.listDeadLetters(request, { signal: end });
    live.onReceived();
    received.value = { letters: page.deadLetters, hasMore: page.nextPageToken !== '' };
    const pause = startPause(pollMs, end);
    ({ wake } = pause);
    await pause.ended;
  }
}

export const deadLetterStream: SharedStream = { name, follow, received, refresh: () => wake() };

/** Reloads the dead letters immediately. */
export function refreshDeadLetters(): void {
  refreshShared(name);
}
