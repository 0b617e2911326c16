import { withTimeout } from '@daycare/async';
import type { Agent } from '@daycare/client';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

/** Follows an agent's history and finds the answers to numbered messages in it. */
export class AnswerStream {
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, (text: string) => void>();
  /** Answers that arrived before anyone waited for them. */
  readonly #early = new Map<string, string>();
  readonly notes: string[] = [];

  constructor(
    private readonly agent: Agent,
    private readonly after: number,
  ) {
    void this.#follow();
  }

  /** Resolves to the answer to the message with this number; rejects if the answer does not arrive in time. */
  async answerTo(number: number, withinMs: number): Promise<string> {
    const key = String(number);
    const early = this.#early.get(key);
    this.#early.delete(key);
    if (early !== undefined) return early;
    const answered = new Promise<string>((resolve) => this.#waiting.set(key, resolve));
    const tooLate = (): Error =>
      new Error(`message ${number} was not answered within ${withinMs} ms`);
    return withTimeout(answered, withinMs, tooLate).finally(() => this.#waiting.delete(key));
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const event of this.agent.watch({ after: this.after, signal }))
        if (event.$case === 'record') this.#take(event.value);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #take({ record }: HistoryRecord): void {
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
