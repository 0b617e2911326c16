import { batch, signal } from '@preact/signals';
import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { daycare } from './client';
import type { LiveContext } from './live';
import { startPause } from './timing/pause';

/** The newest of what my agents could not handle, newest first; undefined until it was read. */
export const deadLetters = signal<readonly DeadLetter[] | undefined>(undefined);
/** Whether there are more than those. */
export const hasMoreDeadLetters = signal(false);

const everyMs = 30_000;
const pageSize = 200;
let wake = (): void => undefined;

/** There is no stream of them, so they are read again from time to time. */
export async function followDeadLetters({ signal: end, received }: LiveContext): Promise<void> {
  while (!end.aborted) {
    const request = { pageSize, pageToken: '', agentId: '' };
    const page = await daycare.rpc.agentRuntime.listDeadLetters(request, { signal: end });
    received();
    batch(() => {
      deadLetters.value = page.deadLetters;
      hasMoreDeadLetters.value = page.nextPageToken !== '';
    });
    const pause = startPause(everyMs, end);
    ({ wake } = pause);
    await pause.ended;
  }
}

/** Reads them now. */
export function refreshDeadLetters(): void {
  wake();
}
