/**
 * A fake `BroadcastChannel`. A message reaches every other channel object with the same name; a suspended channel sends
 * nothing.
 */
export class FakeChannel {
  static instances: FakeChannel[] = [];
  static suspended = new Set<FakeChannel>();
  onmessage: (event: { data: unknown }) => void = () => undefined;

  constructor(readonly name: string) {
    FakeChannel.instances.push(this);
  }

  postMessage(data: unknown): void {
    if (FakeChannel.suspended.has(this)) return;
    for (const other of FakeChannel.instances)
      if (other !== this && other.name === this.name) other.onmessage({ data });
  }

  /** Replaces the global `BroadcastChannel`; the returned function restores it. */
  static install(): () => void {
    const original = globalThis.BroadcastChannel;
    FakeChannel.instances = [];
    FakeChannel.suspended.clear();
    Object.assign(globalThis, { BroadcastChannel: FakeChannel });
    return () => void Object.assign(globalThis, { BroadcastChannel: original });
  }
}
