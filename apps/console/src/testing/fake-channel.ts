/** The channels of one browser. A message reaches every other end with the same name; a suspended end sends nothing. */
export class FakeChannel {
  static open: FakeChannel[] = [];
  static suspended = new Set<FakeChannel>();
  onmessage: (event: { data: unknown }) => void = () => undefined;

  constructor(readonly name: string) {
    FakeChannel.open.push(this);
  }

  postMessage(data: unknown): void {
    if (FakeChannel.suspended.has(this)) return;
    for (const other of FakeChannel.open)
      if (other !== this && other.name === this.name) other.onmessage({ data });
  }

  /** Replaces the channels of the browser; the returned function restores them. */
  static install(): () => void {
    const before = globalThis.BroadcastChannel;
    FakeChannel.open = [];
    FakeChannel.suspended.clear();
    Object.assign(globalThis, { BroadcastChannel: FakeChannel });
    return () => void Object.assign(globalThis, { BroadcastChannel: before });
  }
}
