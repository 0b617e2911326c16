import { createId } from '@daycare/api/create-id';
import { readPages } from '@daycare/client/kit';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Runtime } from '../clients/clients';
import type { Person } from './people';

/** Builds a request to post a message to a channel. */
export function post(text: string, channelId = 'desk', requestId = createId()) {
  return {
    requestId,
    connector: 'cli',
    channelId,
    connectorUserId: 'me',
    text,
    fileIds: [],
    replyTarget: '',
  };
}

/** Reads an agent's whole history. */
export async function historyOf(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  agentId: string,
): Promise<HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  const load: Parameters<typeof readPages<HistoryRecord>>[0] = async (page) => {
    const request = { agentId, ...page, afterSequence: 0, newestFirst: false };
    const { records: items, nextPageToken } = await runtime.listHistory(request, as);
    return { items, nextPageToken };
  };
  for await (const record of readPages(load, { pageSize: 1_000 })) records.push(record);
  return records;
}

/** Returns a record as one line: its kind or the message's origin, and its text if it has any. */
export function summaryOf({ record }: HistoryRecord): string {
  switch (record?.$case) {
    case 'userMessage': {
      const { origin, silent, text } = record.value;
      return `${origin || 'person'}${silent ? ' (silent)' : ''}: ${text}`;
    }
    case 'assistantMessage':
      return `agent: ${record.value.text}`;
    case 'reset':
      return `reset${record.value.emergency ? ' (emergency)' : ''}: ${record.value.message}`;
    case 'compaction':
      return `compaction: ${record.value.summary}`;
    case 'note':
      return `note: ${record.value.text}`;
    case 'start':
    case 'toolResult':
    case undefined:
      return record?.$case ?? 'nothing';
  }
}

/** Resolves with the history once it has `count` records. */
export async function whenRecorded(
  runtime: Runtime,
  person: Pick<Person, 'as'>,
  agentId: string,
  count: number,
  timeoutMs = 20_000,
): Promise<HistoryRecord[]> {
  return eventually(
    async () => {
      const records = await historyOf(runtime, person, agentId);
      return records.length >= count ? records : undefined;
    },
    { timeoutMs },
  );
}
