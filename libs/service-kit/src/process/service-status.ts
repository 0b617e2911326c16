import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ServiceStatus } from '@daycare/contracts/common';
import type { OutboxRelayHandle } from '@daycare/messaging';
import type { Conditions } from './conditions';
import { version } from './version';

type ReadBacklog = OutboxRelayHandle['backlog'];

/** What a replica reports about itself to operators, and the name by which other replicas know it. */
export class StatusReport {
  /** Unique to this process, never reused. */
  readonly replicaId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #startedAt = new Date();
  #readBacklog: ReadBacklog = async () => ({ rows: 0 });

  constructor(
    private readonly service: string,
    private readonly conditions: Conditions,
  ) {}

  /** Call this once, when the outbox has been opened. */
  reportOutbox(readBacklog: ReadBacklog): void {
    this.#readBacklog = readBacklog;
  }

  async read(): Promise<ServiceStatus> {
    const { rows: waiting, oldestAcceptedAt } = await this.#readBacklog();
    return {
      service: this.service,
      version,
      replica: this.replicaId,
      startedAt: this.#startedAt,
      problems: this.conditions.list(),
      outbox: { waiting, oldestAcceptedAt },
    };
  }

  /** The handler for the RPC that every service has. */
  readonly handlers = { getServiceStatus: async () => ({ status: await this.read() }) };
}
