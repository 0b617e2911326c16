import { effect, type ReadonlySignal, type Signal } from '@preact/signals';
import { whileLeading } from './lead';
import type { LiveContext } from './live-context';

/** A stream that every page uses, and the last value received from it. */
export interface SharedStream {
  readonly name: string;
  readonly follow: (live: LiveContext) => Promise<void>;
  readonly received: Signal<unknown>;
  /** Fetches new data immediately; only for streams that poll. */
  readonly refresh?: () => void;
}

export interface ShareLiveDeps {
  /** The person to whom this window belongs; other windows of this browser may belong to someone else. */
  readonly userId: string;
  /** Runs a stream in this window; the returned function stops it. */
  readonly runLive: (name: string, follow: SharedStream['follow']) => () => void;
  readonly isAnyInterrupted: (names: readonly string[]) => ReadonlySignal<boolean>;
  readonly markInterrupted: (name: string, isInterrupted: boolean) => void;
}

/** The messages that windows send each other. */
type Message =
  | { readonly kind: 'received'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'interrupted'; readonly isInterrupted: boolean }
  | { readonly kind: 'leading' }
  | { readonly kind: 'refresh'; readonly name: string }
  | { readonly kind: 'ask' };

const leadingEveryMs = 4_000;
/** If the leading window sends nothing for this long, the browser is assumed to have suspended it. */
const silentMs = 12_000;
let requestRefresh: (name: string) => void = () => undefined;

/** Makes the window that follows a shared stream fetch new data for it immediately. */
export function refreshShared(name: string): void {
  requestRefresh(name);
}

/**
 * Follows streams in one window for all of a person's windows in this browser. That window, the leader, sends what it
 * receives to the others. When it is closed or hidden, another window becomes the leader and resumes after what it has
 * received. While the leader sends nothing, each visible window follows the streams itself.
 */
export function shareLive(streams: readonly SharedStream[], deps: ShareLiveDeps): void {
  const { userId, runLive, markInterrupted } = deps;
  const isInterrupted = deps.isAnyInterrupted(streams.map(({ name }) => name));
  const channel = new BroadcastChannel(`daycare.live.${userId}`);
  const refresh = (wanted: string): void =>
    streams.find(({ name }) => name === wanted)?.refresh?.();
  const send = (message: Message): void => channel.postMessage(message);
  const follow = (): (() => void) => {
    const ends = streams.map((stream) => runLive(stream.name, stream.follow));
    return () => ends.forEach((end) => end());
  };
  const fallback = followWhileSilent(follow);
  let isLeading = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (isLeading && data.kind === 'ask') sendAll(streams, isInterrupted, send);
    else if (isLeading && data.kind === 'refresh') refresh(data.name);
    if (isLeading || data.kind === 'ask' || data.kind === 'refresh') return;
    fallback.stopUntilSilent();
    if (data.kind === 'interrupted') markInterrupted('shared', data.isInterrupted);
    else applyReceived(streams, data);
  };
  requestRefresh = (name) => {
    if (isLeading || fallback.isFollowing()) refresh(name);
    if (!isLeading) send({ kind: 'refresh', name });
  };
  whileLeading(`daycare.leader.${userId}`, () => {
    isLeading = true;
    fallback.stop();
    markInterrupted('shared', false);
    const beat = setInterval(() => send({ kind: 'leading' }), leadingEveryMs);
    const ends = [
      follow(),
      () => clearInterval(beat),
      ...streams.map(({ name, received }) =>
        effect(() => send({ kind: 'received', name, value: received.value })),
      ),
      effect(() => send({ kind: 'interrupted', isInterrupted: isInterrupted.value })),
    ];
    return () => {
      isLeading = false;
      for (const end of ends) end();
      fallback.stopUntilSilent();
    };
  });
  // Requests the latest values from the leading window. There is no response if this window leads or is the only one.
  send({ kind: 'ask' });
}

/** Follows the streams in this window whenever the leading window has sent nothing for some time. */
function followWhileSilent(follow: () => () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end: (() => void) | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    end?.();
    end = undefined;
  };
  const stopUntilSilent = (): void => {
    stop();
    timer = setTimeout(() => (end = follow()), silentMs);
  };
  stopUntilSilent();
  return { stop, stopUntilSilent, isFollowing: () => end !== undefined };
}

function sendAll(
  streams: readonly SharedStream[],
  isInterrupted: ReadonlySignal<boolean>,
  send: (message: Message) => void,
): void {
  for (const { name, received } of streams)
    send({ kind: 'received', name, value: received.peek() });
  send({ kind: 'interrupted', isInterrupted: isInterrupted.peek() });
}

function applyReceived(streams: readonly SharedStream[], message: Message): void {
  // The value is undefined until the leading window has received something.
  if (message.kind !== 'received' || message.value === undefined) return;
  const stream = streams.find(({ name }) => name === message.name);
  if (stream) stream.received.value = message.value;
}
