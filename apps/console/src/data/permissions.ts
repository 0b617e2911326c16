import { signal } from '@preact/signals';
import { PermissionState, type PermissionRequest } from '@daycare/contracts/agent-runtime';
import { daycare } from './client';
import type { LiveContext } from './live';

/** What agents ask me for, by id; undefined until everything that is pending was received. */
export const permissionRequests = signal<ReadonlyMap<string, PermissionRequest> | undefined>(
  undefined,
);

/** What the stream has sent of them since it was opened. */
let pending = new Map<string, PermissionRequest>();

/** Every connection begins with all that is pending: what does not come again has been settled meanwhile. */
export async function followPermissions(live: LiveContext): Promise<void> {
  pending = new Map();
  let isCaughtUp = false;
  const onInterrupted = (): void => {
    pending = new Map();
    isCaughtUp = false;
    live.onInterrupted();
  };
  for await (const event of daycare.watch.permissions({ signal: live.signal, onInterrupted })) {
    live.received();
    if (event.$case === 'caughtUp') isCaughtUp = true;
    else if (event.value.state === PermissionState.PENDING)
      pending.set(event.value.id, event.value);
    else pending.delete(event.value.id);
    if (isCaughtUp) permissionRequests.value = new Map(pending);
  }
}

/** Takes a request off the page once it was decided here; the next event must not bring it back. */
export function forgetPermission(id: string): void {
  pending.delete(id);
  const left = new Map(permissionRequests.peek());
  left.delete(id);
  permissionRequests.value = left;
}
