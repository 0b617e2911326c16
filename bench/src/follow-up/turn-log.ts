import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { percentileOf } from '../measure/percentile';

/** A message whose turn has begun, with the times at which the turn's beginning and its answer were recorded. */
export interface BegunMessage {
  readonly messageId: string;
  /** The sequence number of the record that began the turn; the same for all messages of the turn. */
  readonly turn: number;
  readonly begunMs: number;
  answeredMs?: number;
}

/** Collects an agent's messages, with their turns and answers, from its records, which must be added in order. */
export class TurnLog {
  readonly #messages: BegunMessage[] = [];
  #open: BegunMessage[] = [];

  get messages(): readonly BegunMessage[] {
    return this.#messages;
  }

  add({ sequence: turn, record, recordedAt }: HistoryRecord): void {
    const atMs = recordedAt?.getTime() ?? NaN;
    if (record?.$case === 'userMessage' && !record.value.silent) {
      const { messageIds } = record.value;
      const begun = messageIds.map((messageId) => ({ messageId, turn, begunMs: atMs }));
      this.#messages.push(...begun);
      this.#open.push(...begun);
    }
    if (record?.$case === 'assistantMessage') {
      for (const open of this.#open) open.answeredMs = atMs;
      this.#open = [];
    }
  }
}

/** When a message was sent, and when its turn began or it was answered. */
export interface FinishedMessage {
  readonly sentMs: number;
  readonly finishedMs: number;
  /** Identifies the message's turn. */
  readonly turn: string;
}

/** Returns the rates and latencies of the messages that were finished within the window. */
export function summariseMessages(
  messages: readonly FinishedMessage[],
  fromMs: number,
  untilMs: number,
) {
  const seconds = (untilMs - fromMs) / 1_000;
  const within = messages.filter(({ finishedMs }) => finishedMs >= fromMs && finishedMs < untilMs);
  const latencies = within.map(({ sentMs, finishedMs }) => finishedMs - sentMs);
  const ascending = latencies.sort((a, b) => a - b);
  return {
    perSecond: within.length / seconds,
    turnsPerSecond: new Set(within.map(({ turn }) => turn)).size / seconds,
    p50Ms: percentileOf(ascending, 50),
    p99Ms: percentileOf(ascending, 99),
  };
}
