import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { startTalks, type Talk } from '../../test-support/model/talk';
import { WindowedModel } from '../../test-support/model/windowed-model';
import { newGate } from '../../test-support/test-files';

const window = 16_000;
const talks = useFixture(() => startTalks({ window }));
const long = (at: number): string => `${at} ${'z'.repeat(12_000)}`;
const kindsOf = async ({ records }: Talk) => (await records()).map(({ kind }) => kind);

describe('a replica that dies while it makes room', () => {
  it('nothing is compacted when a replica dies before the summary is stored; the next replica compacts once', async () => {
    const died = newGate();
    const summary = (): string => {
      dying.crash();
      died.open();
      return '## Facts\n- FACT-lost';
    };
    const dying = await talks.begin(new WindowedModel({ window, summary }));
    for (const at of [1, 2, 3, 4]) await dying.ask(long(at));
    const answer = dying.ask(long(5));
    await died.opened;
    const next = await talks.begin(new WindowedModel({ window }), dying.agent);
    expect(await answer).toContain('Heard: 5 z');
    const records = await next.records();
    const [compaction, ...more] = records.filter(({ kind }) => kind === 'compaction');
    expect(compaction).toMatchObject({ summary: expect.not.stringContaining('FACT-lost') });
    expect(more).toEqual([]);
    await next.leave();
  });

  it('a context is not compacted again when a replica dies right after the summary was stored', async () => {
    const died = newGate();
    const model = new WindowedModel({ window });
    const dying = await talks.begin(model);
    for (const at of [1, 2, 3, 4]) await dying.ask(long(at));
    const answer = model.answer.bind(model);
    model.answer = async (request) => {
      if (model.summaries > 0) {
        dying.crash();
        died.open();
      }
      return answer(request);
    };
    const answered = dying.ask(long(5));
    await died.opened;
    const other = new WindowedModel({ window });
    const next = await talks.begin(other, dying.agent);
    expect(await answered).toContain('Heard: 5 z');
    expect(other.summaries).toBe(0);
    expect((await kindsOf(next)).filter((kind) => kind === 'compaction')).toHaveLength(1);
    expect(await next.letters()).toEqual([]);
    await next.leave();
  });
});

describe('facts of a summary', () => {
  it('the facts of a summary are offered to memory before the record is written, in one page per context', async () => {
    const model = new WindowedModel({ window });
    const talk = await talks.begin(model);
    await talk.ask('remember FACT-tea');
    for (let at = 0; at < 8; at += 1) await talk.ask(long(at));
    const mine = talks.memories.filter(({ agentId }) => agentId === talk.agent.id);
    expect(mine.length).toBe(model.summaries);
    expect(new Set(mine.map(({ nodeId }) => nodeId)).size).toBe(1);
    expect(mine.at(-1)).toMatchObject({ content: '- FACT-tea', trust: 'own' });
    await talk.leave();
  });

  it('the facts of a summary are not written to memory when others have written in the context', async () => {
    const talk = await talks.begin(new WindowedModel({ window }));
    await talk.askAsFriend('remember FACT-poison');
    for (let at = 0; at < 5; at += 1) await talk.ask(long(at));
    expect((await kindsOf(talk)).includes('compaction')).toBe(true);
    expect(talks.memories.filter(({ agentId }) => agentId === talk.agent.id)).toEqual([]);
    await talk.leave();
  });
});
