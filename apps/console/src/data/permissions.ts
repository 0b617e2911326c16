import { computed, signal } from '@preact/signals';
import { PermissionState, type PermissionRequest } from '@daycare/contracts/agent-runtime';
import { daycare } from './client';
import type { LiveContext } from './windows/live-context';
import type { SharedStream } from './windows/share-live';

type Requests = ReadonlyMap<string, PermissionRequest>;

const received = signal<Requests | undefined>(undefined);

/**
 * The ids of requests that were decided in this window. They are hidden, because `received` contains such a request
 * until the stream reports that it is no longer pending.
 */
const decided = signal<ReadonlySet<string>>(new Set());

/** Pending permission requests by id; undefined until all of them have been received. */
export const permissionRequests = computed<Requests | undefined>(
  () => received.value && new Map([...received.value].filter(([id]) => !decided.value.has(id))),
);

/**
 * Follows permission requests. Every connection starts by replaying all pending requests, so a request missing from the
 * replay has been settled in the meantime.
 */
export async function followPermissions(live: LiveContext): Promise<void> {
  let pending = new Map<string, PermissionRequest>();
  let isCaughtUp = false;
  const onInterrupted = (): void => {
    pending = new Map();
    isCaughtUp = false;
    live.onInterrupted();
  };
  for await (const event of daycare.watch.permissions({ signal: live.signal, onInterrupted })) {
    live.onReceived();
    if (event.$case === 'caughtUp') isCaughtUp = true;
    else if (event.value.state === PermissionState.PENDING)
      pending.set(event.value.id, event.value);
    else pending.delete(event.value.id);
    if (isCaughtUp) received.value = new Map(pending);
  }
}

export const permissionStream: SharedStream = {
  name: 'permissions',
  follow: followPermissions,
  received,
};

/** Removes a request from the page after it has been decided here, so that the next event does not bring it back. */
export function forgetPermission(id: string): void {
  decided.value = new Set(
    [...decided.peek(), id].filter((decidedId) => received.peek()?.has(decidedId)),
  );
}
