import { setTimeout as delay } from 'node:timers/promises';
import type { BenchStack } from '../kit/bench-stack';
import type { FinishedWork, FollowUp } from '../kit/workload';
import type { AgentRuntimeClient, BenchAgent } from '../workloads/shared/agents';
import { readMetric } from './read-metric';
import { summariseMessages, TurnLog, type FinishedMessage } from './turn-log';
import { waitUntilNoneLeft } from './wait-for-count';

const polling = { intervalMs: 100, maxStallMs: 15_000 };
const rereadMs = 250;
const maxRereads = 40;
const pageSize = 1_000;

/** An agent, and what has been read of its history so far. */
interface FollowedAgent {
  readonly agent: BenchAgent;
  readonly log: TurnLog;
  lastSequence: number;
}

interface FollowerOptions {
  readonly runtime: AgentRuntimeClient;
  readonly agents: readonly BenchAgent[];
  /** Whether a message is finished when its turn begins or when it is answered. */
  readonly until: 'begun' | 'answered';
  /** Follows the delivery of the messages to the inboxes, if they are not posted directly. */
  readonly delivery?: FollowUp;
}

/**
 * Determines when the turn of each message began or when the message was answered. To disturb as little as possible, it
 * reads the agents' histories only in `open` and at the end of `drain`. Before that, `drain` polls metrics until no
 * more items are waiting in inboxes than when the follower was opened.
 */
export class TurnFollower implements FollowUp {
  readonly #urls: readonly string[];
  readonly #options: FollowerOptions;
  readonly #waitingBefore: number;
  readonly #followed: readonly FollowedAgent[];
  readonly #sentMs = new Map<string, number>();
  #lastAcceptedMs = 0;
  #marks: number[] = [];

  private constructor(urls: readonly string[], options: FollowerOptions, waitingBefore: number) {
    this.#urls = urls;
    this.#options = options;
    this.#waitingBefore = waitingBefore;
    this.#followed = options.agents.map((agent) => ({
      agent,
      log: new TurnLog(),
      lastSequence: 0,
    }));
  }

  /** Call it while the agents are idle. */
  static async open(stack: BenchStack, options: FollowerOptions): Promise<TurnFollower> {
    const urls = stack.metricsUrlsOf('agent-runtime');
    const follower = new TurnFollower(urls, options, await readWaiting(urls));
    await follower.#readAll(follower.#followed);
    return follower;
  }

  /** Called for each accepted message with the time at which it was sent. */
  accept(messageId: string, sentMs: number): void {
    this.#sentMs.set(messageId, sentMs);
    this.#lastAcceptedMs = Date.now();
  }

  async mark(): Promise<void> {
    this.#marks.push(Date.now());
  }

  async drain(): Promise<void> {
    await this.#options.delivery?.drain();
    const countLeft = async (): Promise<number> =>
      (await readWaiting(this.#urls)) - this.#waitingBefore;
    await waitUntilNoneLeft(countLeft, polling);
    for (let reread = 0; reread < maxRereads; reread += 1) {
      await this.#readAll(this.#followed);
      if (this.#finished().length === this.#sentMs.size) return;
      await delay(rereadMs);
    }
    const missing = this.#sentMs.size - this.#finished().length;
    const lack = this.#options.until === 'begun' ? 'did not reach a turn' : 'were not answered';
    throw new Error(`${missing} of ${this.#sentMs.size} messages ${lack}`);
  }

  summarise(): FinishedWork {
    const [fromMs, untilMs] = this.#marks.slice(-2);
    if (fromMs === undefined || untilMs === undefined)
      throw new Error('the start and end of the measurement were not recorded');
    const finished = this.#finished();
    const lastMs = finished.reduce((last, { finishedMs }) => Math.max(last, finishedMs), 0);
    const drainMs = Math.max(0, lastMs - this.#lastAcceptedMs);
    return { ...summariseMessages(finished, fromMs, untilMs), drainMs };
  }

  #finished(): FinishedMessage[] {
    return this.#followed.flatMap(({ agent, log }) =>
      log.messages.flatMap(({ messageId, begunMs, answeredMs, turn }) => {
        const sentMs = this.#sentMs.get(messageId);
        const finishedMs = this.#options.until === 'begun' ? begunMs : answeredMs;
        if (sentMs === undefined || finishedMs === undefined) return [];
        return [{ sentMs, finishedMs, turn: `${agent.id} ${turn}` }];
      }),
    );
  }

  async #readAll(followed: readonly FollowedAgent[]): Promise<void> {
    const queue = [...followed];
    const readers = Array.from({ length: 16 }, async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await this.#read(next);
    });
    await Promise.all(readers);
  }

  async #read(followed: FollowedAgent): Promise<void> {
    const { id: agentId, person } = followed.agent;
    for (let isLast = false; !isLast;) {
      const { lastSequence: afterSequence } = followed;
      const request = { agentId, pageSize, pageToken: '', afterSequence, newestFirst: false };
      const { records } = await this.#options.runtime.listHistory(request, person.as);
      for (const record of records) followed.log.add(record);
      followed.lastSequence = records.at(-1)?.sequence ?? afterSequence;
      isLast = records.length < pageSize;
    }
  }
}

/** Reads one replica only, because each reports the items of all inboxes. */
function readWaiting(urls: readonly string[]): Promise<number> {
  return readMetric(urls.slice(0, 1), 'daycare_inbox_items');
}
