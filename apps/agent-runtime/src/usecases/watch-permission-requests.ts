import { AppError } from '@daycare/errors';
import { Alarm } from '@daycare/messaging';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import type { ChangeMark, PermissionStore } from '../store/permission-store';

export type PermissionEvent =
  | { readonly kind: 'request'; readonly request: PermissionRequest }
  | { readonly kind: 'caught_up' };

export interface WatchPermissionsDeps {
  readonly permissions: PermissionStore;
  /** Calls back with hints that something has changed for the user; the answer ends that. */
  readonly listen: (userId: string, listener: () => void) => () => void;
  /** How often the store is looked at although no hint came. */
  readonly pollMs: number;
  /** Aborted when the service stops: watchers then begin again at another replica. */
  readonly stopping: AbortSignal;
  readonly now: () => Date;
}

export interface WatchPermissionsCall {
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Throws when the caller is not let in any more. */
  readonly recheck: () => Promise<void>;
}

const pageSize = 200;

/** What is known of the changes that may be read again, by request, and how far they were read. */
interface Progress {
  readonly shown: Map<string, PermissionState>;
  readonly mark: ChangeMark | undefined;
}

/**
 * Every pending request that the user may see, then each new one and each change. Hints only say when
 * to look, so losing one costs time and nothing else.
 */
export function makeWatchPermissionRequests(deps: WatchPermissionsDeps) {
  return async function* watch(call: WatchPermissionsCall): AsyncGenerator<PermissionEvent> {
    const { userId } = call;
    const signal = AbortSignal.any([call.signal, deps.stopping]);
    const alarm = new Alarm();
    const ring = (): void => alarm.ring();
    const stopListening = deps.listen(userId, ring);
    signal.addEventListener('abort', ring, { once: true });
    try {
      // Where changes are read on from is noted first, so that none falls between.
      let progress = await noteChanges(deps, userId);
      for await (const request of listPending(deps, userId)) {
        progress.shown.set(request.id, request.state);
        yield { kind: 'request', request };
      }
      yield { kind: 'caught_up' };
      while (!signal.aborted) {
        await call.recheck();
        progress = yield* readOn(deps, userId, progress);
        await alarm.sleep(deps.pollMs);
      }
      if (deps.stopping.aborted) throw new AppError('UNAVAILABLE', 'This replica is stopping');
    } finally {
      signal.removeEventListener('abort', ring);
      stopListening();
    }
  };
}

async function noteChanges(
  { permissions, now }: WatchPermissionsDeps,
  userId: string,
): Promise<Progress> {
  const mark = await permissions.newestChange(userId);
  const shown = new Map<string, PermissionState>();
  if (!mark) return { shown, mark };
  for await (const { request } of permissions.changesSince(userId, mark, now))
    shown.set(request.id, request.state);
  return { shown, mark };
}

async function* listPending(
  { permissions, now }: WatchPermissionsDeps,
  reader: string,
): AsyncGenerator<PermissionRequest> {
  const wanted = { reader, states: ['pending'], agentId: '', limit: pageSize } as const;
  let after: PermissionRequest | undefined;
  do {
    const page = await permissions.list({ ...wanted, after }, now());
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after);
}

/** Shows what was not shown in that state before; what was read this time is what may come again. */
async function* readOn(
  { permissions, now }: WatchPermissionsDeps,
  userId: string,
  { shown, mark }: Progress,
): AsyncGenerator<PermissionEvent, Progress> {
  const read = new Map<string, PermissionState>();
  let newest = mark;
  for await (const change of permissions.changesSince(userId, mark, now)) {
    const { request } = change;
    if ((read.get(request.id) ?? shown.get(request.id)) !== request.state)
      yield { kind: 'request', request };
    read.set(request.id, request.state);
    newest = change.mark;
  }
  return { shown: read, mark: newest };
}
