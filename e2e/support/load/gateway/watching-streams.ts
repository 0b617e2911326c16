import { TopologyFormat } from '@daycare/contracts/topology';
import type { Runtime, Topology } from '../../clients/clients';
import type { Person } from '../../people/people';

/** An open stream and what has arrived on it. */
export interface WatchingStream {
  /** Whether everything up to this round has arrived. */
  has(round: number): boolean;
  /** What went wrong, if anything has. */
  readonly fault: string | undefined;
}

abstract class Stream implements WatchingStream {
  fault: string | undefined;

  abstract has(round: number): boolean;

  /** Reads the stream, which must not end before the signal aborts. */
  protected async read<T>(
    items: AsyncIterable<T>,
    signal: AbortSignal,
    take: (item: T) => void,
  ): Promise<void> {
    let ending = 'the stream ended';
    try {
      for await (const item of items) take(item);
    } catch (error) {
      ending = `${this.constructor.name} failed: ${describe(error)}`;
    }
    if (!signal.aborted) this.fault ??= ending;
  }
}

/** Returns an error's message, followed by the message of its cause, if there is one. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

/** Checks that an agent's records arrive once and in order; each round has one answer. */
export class AgentStream extends Stream {
  #last = 0;
  #answers = 0;

  constructor(runtime: Runtime, { as }: Person, agentId: string, signal: AbortSignal) {
    super();
    const events = runtime.watchAgent({ agentId, afterSequence: 0 }, { ...as, signal });
    void this.read(events, signal, ({ event }) => {
      if (event?.$case !== 'record') return;
      const { sequence, record } = event.value;
      if (sequence !== this.#last + 1) this.fault ??= `record ${sequence} follows ${this.#last}`;
      this.#last = sequence;
      if (record?.$case === 'assistantMessage') this.#answers += 1;
    });
  }

  has(round: number): boolean {
    return this.#answers >= round;
  }
}

/** Returns the name that a subuser has in a round. */
export const nameInRound = (round: number): string => `Helper ${round}`;

/** Follows a person's topology, in which the subuser has a different name in each round. */
export class TopologyStream extends Stream {
  #text = '';

  constructor(topology: Topology, { as }: Person, signal: AbortSignal) {
    super();
    const from = { afterRevision: '', pageSize: 0, includeDead: false };
    const request = { ...from, format: TopologyFormat.TEXT };
    const views = topology.watchTopology(request, { ...as, signal });
    void this.read(views, signal, ({ text }) => (this.#text = text));
  }

  has(round: number): boolean {
    return this.#text.includes(nameInRound(round));
  }
}
