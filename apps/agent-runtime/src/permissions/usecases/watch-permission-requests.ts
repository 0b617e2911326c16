import { AppError } from '@daycare/api';
import { mergeSignals, onAbort, Wakeup } from '@daycare/async';
import { RarePolls } from '../../shared/concurrency/poll-gently';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import type { PermissionChangeStore, PermissionMark } from '../store/permission-change-store';
import type { PermissionStore } from '../store/permission-store';

export type PermissionEvent =
  | { readonly kind: 'request'; readonly request: PermissionRequest }
  | { readonly kind: 'caught_up' };

export interface WatchPermissionsDeps {
  readonly permissions: Pick<PermissionStore, 'list'>;
  readonly changes: PermissionChangeStore;
  /**
   * Calls back when a hint says that something changed for the user; the returned function
   * unsubscribes.
   */
  readonly listen: (userId: string, listener: () => void) => () => void;
  /** Whether hints can currently arrive. */
  readonly isConnected: () => boolean;
  /** How often the caller's access is rechecked; while hints cannot arrive, also how often the store is polled. */
  readonly pollMs: number;
  /** Aborted when the service stops: watchers then reconnect to another replica. */
  readonly stopping: AbortSignal;
  readonly now: () => Date;
}

export interface WatchPermissionsCall {
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Throws when the caller has lost access. */
  readonly recheck: () => Promise<void>;
}

const pageSize = 200;
/** While hints can arrive, only one in this many polls without a new hint reads the store, in case a hint was lost. */
const pollEvery = 5;

/** How far a watch has read the changes. */
interface Progress {
  /** The last state that was sent, for each request whose changes may be read again. */
  readonly shown: Map<string, PermissionState>;
  readonly mark: PermissionMark | undefined;
}

/**
 * Streams every pending request that the user may see, then each request whose state is new since the last read: a
 * request that is created and decided between two reads is sent once. Hints only trigger a read, so a lost hint only
 * causes a delay.
 */
export function makeWatchPermissionRequests(deps: WatchPermissionsDeps) {
  return async function* watch(call: WatchPermissionsCall): AsyncGenerator<PermissionEvent> {
    const { userId } = call;
    const { signal, release } = mergeSignals(call.signal, deps.stopping);
    const wakeup = new Wakeup();
    const hints = { areNew: false };
    const wake = (): void => {
      hints.areNew = true;
      wakeup.signal();
    };
    const polls = new RarePolls(pollEvery);
    const stopListening = deps.listen(userId, wake);
    onAbort(signal, wake);
    try {
      // The current position among the changes is recorded first, so that no change is missed.
      let progress = await startProgress(deps, userId);
      for await (const request of listPending(deps, userId)) {
        progress.shown.set(request.id, request.state);
        yield { kind: 'request', request };
      }
      yield { kind: 'caught_up' };
      while (!signal.aborted) {
        await call.recheck();
        if (polls.isDue(deps.isConnected()) || hints.areNew) {
          hints.areNew = false;
          progress = yield* readChanges(deps, userId, progress);
        }
        await wakeup.sleep(deps.pollMs);
      }
      if (deps.stopping.aborted)
        throw new AppError('UNAVAILABLE', 'This replica is stopping; try again');
    } finally {
      release();
      stopListening();
    }
  };
}

async function startProgress(
  { changes, now }: WatchPermissionsDeps,
  userId: string,
): Promise<Progress> {
  const mark = await changes.newest(userId);
  const shown = new Map<string, PermissionState>();
  if (!mark) return { shown, mark };
  // Counted as sent, so that changes from before the watch are not sent when they are read again.
  for await (const { request } of changes.since(userId, mark, now))
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

/** Sends the requests whose state has not been sent before. The next read may return some of them again. */
async function* readChanges(
  { changes, now }: WatchPermissionsDeps,
  userId: string,
  { shown, mark }: Progress,
): AsyncGenerator<PermissionEvent, Progress> {
  const read = new Map<string, PermissionState>();
  let newest = mark;
  for await (const change of changes.since(userId, mark, now)) {
    const { request } = change;
    if ((read.get(request.id) ?? shown.get(request.id)) !== request.state)
      yield { kind: 'request', request };
    read.set(request.id, request.state);
    newest = change.mark;
  }
  return { shown: read, mark: newest };
}
