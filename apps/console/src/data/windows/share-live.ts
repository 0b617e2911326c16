import { effect, type ReadonlySignal, type Signal } from '@preact/signals';
import { whileLeading } from './lead';
import type { LiveContext } from './live-context';

/** A stream that every page shows, and what it has received. */
export interface SharedStream {
  readonly name: string;
  readonly follow: (live: LiveContext) => Promise<void>;
  readonly received: Signal<unknown>;
  /** Receives what is new at once, where that would take time. */
  readonly refresh?: () => void;
}

export interface ShareLiveDeps {
  /** Runs a stream in this window; the result stops it. */
  readonly runLive: (name: string, follow: SharedStream['follow']) => () => void;
  readonly isInterrupted: ReadonlySignal<boolean>;
  readonly markInterrupted: (name: string, isCut: boolean) => void;
}

/** What windows send each other. */
type Message =
  | { readonly kind: 'received'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'interrupted'; readonly isInterrupted: boolean }
  | { readonly kind: 'refresh'; readonly name: string }
  | { readonly kind: 'ask' };

const channelName = 'daycare.live';
let askLeader: (name: string) => void = () => undefined;

/** Has a stream receive what is new at once, in whichever window it is followed. */
export function refreshShared(name: string): void {
  askLeader(name);
}

/**
 * Follows streams in one window for all windows of this browser. The others get what it receives; the next one continues
 * where it left off.
 */
export function shareLive(streams: readonly SharedStream[], deps: ShareLiveDeps): void {
  const { runLive, isInterrupted, markInterrupted } = deps;
  const channel = new BroadcastChannel(channelName);
  const refresh = (wanted: string): void =>
    streams.find(({ name }) => name === wanted)?.refresh?.();
  const send = (message: Message): void => channel.postMessage(message);
  let isLeading = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!isLeading && data.kind === 'interrupted') markInterrupted('shared', data.isInterrupted);
    else if (!isLeading) take(streams, data);
    else if (data.kind === 'ask') sendAll(streams, send);
    else if (data.kind === 'refresh') refresh(data.name);
  };
  askLeader = (name) => (isLeading ? refresh(name) : send({ kind: 'refresh', name }));
  whileLeading(() => {
    isLeading = true;
    markInterrupted('shared', false);
    const ends = streams.flatMap(({ name, follow, received }) => [
      runLive(name, follow),
      effect(() => send({ kind: 'received', name, value: received.value })),
    ]);
    ends.push(effect(() => send({ kind: 'interrupted', isInterrupted: isInterrupted.value })));
    return () => {
      isLeading = false;
      for (const end of ends) end();
    };
  });
  // A window that leads does not get it; without another one there is nobody to answer.
  send({ kind: 'ask' });
}

function sendAll(streams: readonly SharedStream[], send: (message: Message) => void): void {
  for (const { name, received } of streams)
    send({ kind: 'received', name, value: received.peek() });
}

function take(streams: readonly SharedStream[], message: Message): void {
  // Nothing received yet is no news.
  if (message.kind !== 'received' || message.value === undefined) return;
  const stream = streams.find(({ name }) => name === message.name);
  if (stream) stream.received.value = message.value;
}
