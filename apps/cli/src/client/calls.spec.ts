import { describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { AppError, type ErrorCode } from '@daycare/errors';
import { CallFailure } from '../failure/call-failure';
import { findAnswer } from './find-answer';
import { joinPages } from './load-topology';
import { collect } from './pages';
import { RequestIds } from './request-ids';
import { resume } from './resume';

describe('collect', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const load = async ({ pageSize, pageToken }: { pageSize: number; pageToken: string }) => {
    const at = Number(pageToken);
    const items = letters.slice(at, at + Math.min(pageSize, 2));
    return { items, nextPageToken: at + 2 < letters.length ? String(at + 2) : '' };
  };

  it('follows the pages to the end, or to the limit', async () => {
    expect(await collect(undefined, load)).toEqual(letters);
    expect(await collect(3, load)).toEqual(['a', 'b', 'c']);
    expect(await collect(1, load)).toEqual(['a']);
  });
});

describe('resume', () => {
  const cut = (code: ErrorCode): CallFailure =>
    new CallFailure('agent-runtime', 'h:1', 'work', new AppError(code, 'cut'));
  const following = (...endings: (ErrorCode | undefined)[]) => {
    let next = 0;
    return async function* () {
      const ending = endings.shift();
      yield (next += 1);
      if (ending) throw cut(ending);
    };
  };
  const all = async (items: AsyncIterable<number>): Promise<number[]> => {
    const seen: number[] = [];
    for await (const item of items) seen.push(item);
    return seen;
  };

  it('goes on where a stream was cut, and tells once of each cut', async () => {
    let cuts = 0;
    const items = resume(following('UNAVAILABLE', 'CANCELLED', undefined), {
      onCut: () => (cuts += 1),
    });
    expect([await all(items), cuts]).toEqual([[1, 2, 3], 2]);
  });

  it('throws what cannot be mended, and what may not be resumed', async () => {
    await expect(all(resume(following('NOT_FOUND')))).rejects.toThrow('cut');
    const refused = resume(following('UNAVAILABLE'), { mayResume: () => false });
    await expect(all(refused)).rejects.toThrow('cut');
  });
});

describe('findAnswer', () => {
  const record = (sequence: number, $case: string, value: object): HistoryRecord =>
    ({ sequence, record: { $case, value } }) as HistoryRecord;
  const heard = (...messageIds: string[]) => record(2, 'userMessage', { messageIds });
  const said = (sequence: number, text: string, toolCalls: object[] = []) =>
    record(sequence, 'assistantMessage', { text, toolCalls });

  it('is the first words after the message that want no tool', () => {
    const records = [said(1, 'earlier'), heard('other', 'mine'), said(3, 'hm', [{}])];
    expect(findAnswer(records, 'mine')).toBeUndefined();
    expect(findAnswer([...records, said(5, 'yes')], 'mine')).toEqual({
      text: 'yes',
      sequence: 5,
      failed: false,
    });
  });

  it('is the note of an agent that gave up', () => {
    const note = record(3, 'note', { text: 'No model' });
    expect(findAnswer([heard('mine'), note], 'mine')).toMatchObject({ failed: true });
    expect(findAnswer([note, heard('mine')], 'mine')).toBeUndefined();
  });
});

describe('joinPages', () => {
  it('puts the sections together and keeps everything else of the first page', () => {
    const page = (revision: string, ...ids: string[]) =>
      ({ revision, agents: { status: 'S', count: 3, agents: ids } }) as never;
    expect(joinPages(page('1', 'a', 'b'), page('2', 'c'))).toEqual(page('1', 'a', 'b', 'c'));
  });
});

describe('request ids', () => {
  it('are the same in the same order when the first is given again', () => {
    const take = (ids: RequestIds): string[] => [ids.next(), ids.next()];
    expect(take(new RequestIds('r'))).toEqual(['r', 'r.2']);
    expect(take(new RequestIds())).not.toEqual(take(new RequestIds()));
  });
});
