import { describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { AppError, type ErrorCode } from '@daycare/api';
import { CallFailure } from '../failure/call-failure';
import { findAnswer } from './find-answer';
import { joinPages } from './load-topology';
import { collect } from './rpc/pages';
import { RequestIds } from './rpc/request-ids';
import { resume } from './rpc/resume';

describe('collect', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const load = async ({ pageSize, pageToken }: { pageSize: number; pageToken: string }) => {
    const at = Number(pageToken);
    const items = letters.slice(at, at + Math.min(pageSize, 2));
    return { items, nextPageToken: at + 2 < letters.length ? String(at + 2) : '' };
  };

  it('loads pages to the end or to the limit', async () => {
    expect(await collect(undefined, load)).toEqual(letters);
    expect(await collect(3, load)).toEqual(['a', 'b', 'c']);
    expect(await collect(1, load)).toEqual(['a']);
  });
});

describe('resume', () => {
  const disconnected = (code: ErrorCode): CallFailure =>
    new CallFailure('agent-runtime', 'h:1', 'work', new AppError(code, 'disconnected'));
  const following = (...endings: (ErrorCode | undefined)[]) => {
    let next = 0;
    return async function* () {
      const ending = endings.shift();
      yield (next += 1);
      if (ending) throw disconnected(ending);
    };
  };
  const all = async (items: AsyncIterable<number>): Promise<number[]> => {
    const seen: number[] = [];
    for await (const item of items) seen.push(item);
    return seen;
  };

  it('reopens a disconnected stream and reports each disconnect once', async () => {
    let disconnects = 0;
    const items = resume(following('UNAVAILABLE', 'CANCELLED', undefined), {
      onDisconnect: () => (disconnects += 1),
    });
    expect([await all(items), disconnects]).toEqual([[1, 2, 3], 2]);
  });

  it('throws other errors, and disconnects that may not be resumed', async () => {
    await expect(all(resume(following('NOT_FOUND')))).rejects.toThrow('disconnected');
    const refused = resume(following('UNAVAILABLE'), { mayResume: () => false });
    await expect(all(refused)).rejects.toThrow('disconnected');
  });
});

describe('findAnswer', () => {
  const record = (sequence: number, $case: string, value: object): HistoryRecord =>
    ({ sequence, record: { $case, value } }) as HistoryRecord;
  const received = (...messageIds: string[]) => record(2, 'userMessage', { messageIds });
  const replied = (sequence: number, text: string, toolCalls: object[] = []) =>
    record(sequence, 'assistantMessage', { text, toolCalls });

  it('finds the first reply after the message without tool calls', () => {
    const records = [replied(1, 'earlier'), received('other', 'mine'), replied(3, 'hm', [{}])];
    expect(findAnswer(records, 'mine')).toBeUndefined();
    expect(findAnswer([...records, replied(5, 'yes')], 'mine')).toEqual({
      text: 'yes',
      sequence: 5,
      failed: false,
    });
  });

  it('finds the note of an agent that gave up', () => {
    const note = record(3, 'note', { text: 'No model', endsWork: true });
    expect(findAnswer([received('mine'), note], 'mine')).toMatchObject({ failed: true });
    expect(findAnswer([note, received('mine')], 'mine')).toBeUndefined();
  });

  it('passes over a note that does not end the work', () => {
    const note = record(3, 'note', { text: 'Waiting for the provider', endsWork: false });
    const records = [received('mine'), note];
    expect(findAnswer(records, 'mine')).toBeUndefined();
    expect(findAnswer([...records, replied(4, 'yes')], 'mine')).toMatchObject({ text: 'yes' });
  });
});

describe('joinPages', () => {
  it('joins sections and keeps everything else of the first page', () => {
    const page = (revision: string, ...ids: string[]) =>
      ({ revision, agents: { status: 'S', count: 3, agents: ids } }) as never;
    expect(joinPages(page('1', 'a', 'b'), page('2', 'c'))).toEqual(page('1', 'a', 'b', 'c'));
  });
});

describe('RequestIds', () => {
  it('repeats the same ids when the first one is the same', () => {
    const take = (ids: RequestIds): string[] => [ids.next(), ids.next()];
    expect(take(new RequestIds('r'))).toEqual(['r', 'r.2']);
    expect(take(new RequestIds())).not.toEqual(take(new RequestIds()));
  });
});
