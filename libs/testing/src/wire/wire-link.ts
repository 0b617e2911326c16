import { connect, type Socket } from 'node:net';
import type { FrameSplitter, WireFrame, WireProtocol } from './wire-protocol';
import type { WireTraps } from './wire-traps';

export interface WireLinkOptions {
  readonly target: { readonly host: string; readonly port: number };
  readonly protocol: WireProtocol;
  readonly traps: WireTraps;
  /** Called when a trap springs on this link. Nothing passes from then on. */
  readonly onSprung: () => void;
}

/** One client connection, forwarded to the server message by message. */
export class WireLink {
  readonly closed: Promise<void>;
  readonly #options: WireLinkOptions;
  readonly #client: Socket;
  readonly #server: Socket;
  #isStopped = false;

  constructor(client: Socket, options: WireLinkOptions) {
    const { target, protocol } = options;
    this.#options = options;
    this.#client = client;
    this.#server = connect(target);
    this.closed = new Promise((resolve) => client.once('close', () => resolve()));
    this.#pump(this.#client, this.#server, protocol.splitClient());
    this.#pump(this.#server, this.#client, protocol.splitServer());
  }

  /** Stops forwarding, including messages already received. */
  stopForwarding(): void {
    this.#isStopped = true;
  }

  destroy(): void {
    this.stopForwarding();
    this.#client.destroy();
    this.#server.destroy();
  }

  #pump(from: Socket, to: Socket, split: FrameSplitter): void {
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => {
      for (const frame of split(chunk)) this.#take(frame, to);
    });
    from.on('error', () => undefined);
    from.on('close', () => to.destroySoon());
  }

  #take(frame: WireFrame, to: Socket): void {
    if (this.#isStopped) return;
    const verdict = this.#options.traps.judge(frame, this);
    if (verdict === 'hold') return;
    if (verdict === 'spring') return this.#spring();
    to.write(frame.replacement ?? frame.bytes, () => {
      if (verdict === 'pass and spring') this.#spring();
    });
  }

  #spring(): void {
    if (this.#isStopped) return;
    this.stopForwarding();
    this.#options.onSprung();
  }
}
