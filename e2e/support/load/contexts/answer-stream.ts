import { setTimeout as delay } from 'node:timers/promises';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import type { Runtime } from '../../clients/clients';
import type { Person } from '../../people/people';

/** Follows the history of an agent; opens the stream again when it ends. */
export class AnswerStream {
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, (text: string) => void>();
  /** Answers that arrived before anyone waited for them. */
  readonly #early = new Map<string, string>();
  readonly notes: string[] = [];
  #after: number;

  constructor(
    private readonly runtime: Runtime,
    private readonly person: Person,
    private readonly agent: { readonly agentId: string; readonly afterSequence: number },
  ) {
    this.#after = agent.afterSequence;
    void this.#follow();
  }

  /** The answer to the message of that number; rejects when there is none in time. */
  async answerTo(number: number, withinMs: number): Promise<string> {
    const key = String(number);
    const early = this.#early.get(key);
    this.#early.delete(key);
    if (early !== undefined) return early;
    const expiry = new AbortController();
    const answered = new Promise<string>((resolve) => this.#waiting.set(key, resolve));
    const late = delay(withinMs, undefined, { signal: expiry.signal, ref: false }).then(() => {
      throw new Error(`message ${number} was not answered within ${withinMs} ms`);
    });
    try {
      return await Promise.race([answered, late]);
    } finally {
      expiry.abort();
      late.catch(() => undefined);
      this.#waiting.delete(key);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const request = { agentId: this.agent.agentId, afterSequence: this.#after };
      try {
        for await (const { event } of this.runtime.watchAgent(request, {
          ...this.person.as,
          signal,
        }))
          if (event?.$case === 'record') this.#take(event.value);
      } catch {
        // A stream may end at any time; the next one shows the missing records.
        await delay(100);
      }
    }
  }

  #take({ sequence, record }: HistoryRecord): void {
    this.#after = sequence;
    if (record?.$case === 'note') this.notes.push(record.value.text);
    if (record?.$case !== 'assistantMessage') return;
    const { text } = record.value;
    const number = /^Answer to (\d+)\./.exec(text)?.[1];
    if (number === undefined) return;
    const resolve = this.#waiting.get(number);
    if (resolve) resolve(text);
    else this.#early.set(number, text);
  }
}
