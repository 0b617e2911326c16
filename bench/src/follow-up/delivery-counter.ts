import type { BenchStack } from '../kit/bench-stack';
import type { FinishedWork, FollowUp } from '../kit/workload';
import { readMetric } from './read-metric';
import { waitUntilNoneLeft } from './wait-for-count';

const polling = { intervalMs: 25, maxStallMs: 15_000 };

/**
 * Counts delivered messages by reading agent-runtime's metric for the messages that it has stored and acknowledged. The
 * metric is read at the beginning and at the end of the measured time, and then polled until every accepted message has
 * been delivered.
 */
export class DeliveryCounter implements FollowUp {
  readonly #urls: readonly string[];
  readonly #perRequest: number;
  readonly #handledBefore: number;
  #accepted = 0;
  #lastAcceptedMs = 0;
  #drainMs = 0;
  #marks: { readonly atMs: number; readonly handled: number }[] = [];

  private constructor(urls: readonly string[], perRequest: number, handledBefore: number) {
    this.#urls = urls;
    this.#perRequest = perRequest;
    this.#handledBefore = handledBefore;
  }

  /** Call it while nothing is being delivered. Each request causes `perRequest` messages. */
  static async open(stack: BenchStack, perRequest = 1): Promise<DeliveryCounter> {
    const urls = stack.metricsUrlsOf('agent-runtime');
    return new DeliveryCounter(urls, perRequest, await readHandled(urls));
  }

  /** Called for each answered request. */
  readonly accept = (): void => {
    this.#accepted += 1;
    this.#lastAcceptedMs = performance.now();
  };

  async mark(): Promise<void> {
    const handled = await readHandled(this.#urls);
    this.#marks.push({ atMs: performance.now(), handled });
  }

  async drain(): Promise<void> {
    const expected = this.#handledBefore + this.#accepted * this.#perRequest;
    await waitUntilNoneLeft(async () => expected - (await readHandled(this.#urls)), polling);
    this.#drainMs = performance.now() - this.#lastAcceptedMs;
  }

  summarise(): FinishedWork {
    const [from, until] = this.#marks.slice(-2);
    if (!from || !until) throw new Error('the start and end of the measurement were not recorded');
    const requests = (until.handled - from.handled) / this.#perRequest;
    const perSecond = requests / ((until.atMs - from.atMs) / 1_000);
    return { perSecond, drainMs: this.#drainMs };
  }
}

function readHandled(urls: readonly string[]): Promise<number> {
  return readMetric(urls, 'daycare_messages_handled_total');
}
