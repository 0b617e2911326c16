import { randomUUID } from 'node:crypto';
import { connectMongo } from '@daycare/mongo';

/** The context contains this many of the newest records, however long the history is. */
const recordsInContext = 10;
const batchSize = 10_000;

export interface HistoryExtension {
  readonly agentId: string;
  readonly userId: string;
  /** How many records the agent has afterwards. */
  readonly count: number;
  readonly textOf: (sequence: number) => string;
}

/**
 * Stores records in an agent's history, in bulk, as if it had chatted and been reset many times. The agent must have a
 * history and nothing to do.
 */
export async function extendHistory(
  { mongoUrl: url, database }: { readonly mongoUrl: string; readonly database: string },
  extension: HistoryExtension,
): Promise<void> {
  const mongo = await connectMongo({ url, database, appName: 'daycare-test' });
  try {
    const history = mongo.db.collection('history');
    const { agentId, count } = extension;
    const head = await history.findOne({ agentId }, { sort: { number: -1 } });
    if (!head) throw new Error(`agent ${agentId} has no history`);
    const { number, state } = head as unknown as {
      number: number;
      state: { lastSequence: number };
    };
    const missing = count - state.lastSequence;
    for (let from = 0; from < missing; from += batchSize) {
      const size = Math.min(batchSize, missing - from);
      const entries = Array.from({ length: size }, (_, index) => {
        const sequence = state.lastSequence + from + index + 1;
        return entryOf(extension, number + from + index + 1, sequence);
      });
      await history.insertMany(entries, { ordered: false });
    }
  } finally {
    await mongo.close();
  }
}

function entryOf(
  { agentId, userId, count, textOf }: HistoryExtension,
  number: number,
  sequence: number,
): object {
  const isReset = sequence === count - recordsInContext || sequence % 100 === 0;
  const message = { kind: 'user_message', files: [], messageIds: [randomUUID()], origin: '' };
  const event = isReset
    ? { kind: 'reset', message: '', emergency: false }
    : { ...message, text: textOf(sequence), silent: true };
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const contextFrom = Math.max(1, count - recordsInContext);
  const state = { lastSequence: sequence, contextFrom, contextTokens: 180, usage };
  const writer = { number, fence: 0, holder: '' };
  return { agentId, userId, ...writer, at: new Date(), events: [event], state };
}
