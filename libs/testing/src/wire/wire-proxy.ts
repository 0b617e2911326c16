import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { WireLink } from './wire-link';
import type { WireProtocol } from './wire-protocol';
import {
  WireTraps,
  type ArmedHold,
  type ArmedTrap,
  type RecordedStep,
  type StepTrap,
} from './wire-traps';

/** A proxy between a process under test and its server that sees every step of the process. */
export interface WireProxy {
  /** The URL to use instead of the server's. */
  readonly url: string;
  /** Starts a new recording of steps. */
  record(): void;
  /** The recorded steps, in order. */
  steps(): string[];
  /** The recorded steps with their times, to merge the recordings of several proxies. */
  recording(): readonly RecordedStep[];
  /**
   * Stops everything at one step. `onSprung` is called immediately, before anything else can pass,
   * and usually kills the process; then all connections are closed. Later connections work again.
   */
  trap(trap: StepTrap, onSprung: () => void): ArmedTrap;
  /**
   * Stops one message, or its response, while all others pass. A client that does not wait for that response continues.
   */
  hold(trap: StepTrap): ArmedHold;
  close(): Promise<void>;
}

export interface WireProxyOptions {
  readonly target: { readonly host: string; readonly port: number };
  readonly protocol: WireProtocol;
  readonly urlOf: (port: number) => string;
}

/** Starts a proxy on a free port of this machine. Close it after the processes that use it have ended. */
export async function startWireProxy(options: WireProxyOptions): Promise<WireProxy> {
  const traps = new WireTraps();
  const links = new Set<WireLink>();
  const onSprung = (): void => {
    for (const link of links) link.stopForwarding();
    traps.spring();
    for (const link of links) link.destroy();
  };
  const server = createServer((client) => {
    const link = new WireLink(client, { ...options, traps, onSprung });
    links.add(link);
    void link.closed.then(() => links.delete(link));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: options.urlOf((server.address() as AddressInfo).port),
    record: () => traps.record(),
    steps: () => traps.recording().map(({ label }) => label),
    recording: () => traps.recording(),
    trap: (trap, sprung) => traps.trap(trap, sprung),
    hold: (trap) => traps.hold(trap),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const link of links) link.destroy();
      await closed;
    },
  };
}
