import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { AppError } from '@daycare/api';
import { startConversations, type Conversation } from '../../test-support/model/conversation';
import { WindowedModel } from '../../test-support/model/windowed-model';

const window = 16_000;
const conversations = useFixture(() => startConversations({ window }));

async function withConversation(
  model: WindowedModel,
  use: (conversation: Conversation) => Promise<void>,
): Promise<void> {
  const conversation = await conversations.begin(model);
  try {
    await use(conversation);
  } finally {
    await conversation.stopServing();
  }
}

describe('a context that outgrows the model’s window', () => {
  it('long messages do not leave the agent unable to answer short ones', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async ({ ask }) => {
      for (const letter of 'abcd') await ask(letter.repeat(30_000));
      expect(await ask('short')).toContain('short');
    });
    expect(model.refusals).toBe(0);
  });

  it('characters that grow when they are escaped are counted at their escaped length', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async ({ ask, askAsFriend }) => {
      for (const quote of `"'&`) await askAsFriend(quote.repeat(32_000));
      expect(await ask('are you there?')).toContain('are you there?');
    });
    expect(model.refusals).toBe(0);
  });

  it('a turn with many large tool results stays within the model’s window', async () => {
    const callsFor = () => Array.from({ length: 12 }, () => ({ size: 7_000 }));
    const model = new WindowedModel({ window, callsFor });
    await withConversation(model, async ({ ask }) => {
      expect(await ask('look around')).toContain('look around');
    });
    expect(model.refusals).toBe(0);
    expect(model.summaries).toBeGreaterThan(0);
  });

  it('inline image data is not sent as text', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async ({ ask }) => {
      const answer = await ask(`see data:image/png;base64,${'A'.repeat(32_000)} there`);
      expect(answer).toBe('Heard: see <image> there');
    });
  });

  it('a message larger than the window is truncated in the middle, with a note about the missing part, but recorded whole', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async ({ ask, records }) => {
      const text = `begin ${'x'.repeat(200_000)} end`;
      await ask(text);
      const [message] = model.requests.at(-1)?.context ?? [];
      expect(message).toMatchObject({
        text: expect.stringMatching(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/),
      });
      expect((await records()).find(({ kind }) => kind === 'user_message')).toMatchObject({ text });
    });
  });

  it('a request that is refused although it was estimated to fit is sent again with a shorter context', async () => {
    const model = new WindowedModel({ window, charactersPerToken: 1.5 });
    await withConversation(model, async ({ ask, deadLetterReasons }) => {
      for (const letter of 'abcd') expect(await ask(letter.repeat(30_000))).toContain(letter);
      expect(await ask('short')).toContain('short');
      expect(await deadLetterReasons()).toEqual([]);
    });
    expect(model.refusals).toBeGreaterThan(0);
  });

  it('a model whose window is a tenth of the configured one still answers, after an emergency reset', async () => {
    const model = new WindowedModel({ window: 1_600 });
    await withConversation(model, async ({ ask, records, deadLetterReasons }) => {
      await ask('a'.repeat(3_000));
      await ask('b'.repeat(30_000));
      expect(await ask('short')).toContain('short');
      expect(await deadLetterReasons()).toEqual([]);
      expect(await records()).toContainEqual(
        expect.objectContaining({ kind: 'reset', emergency: true }),
      );
    });
  });
});

describe('compaction', () => {
  const fill = async ({ ask }: Conversation, times = 6): Promise<void> => {
    for (let at = 0; at < times; at += 1) await ask(`${at} ${'z'.repeat(12_000)}`);
  };

  it('a compacted context consists of the summary and the newest turns, and the history stays complete', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async (conversation) => {
      await conversation.ask('remember FACT-blue');
      await fill(conversation);
      expect(await conversation.ask('which facts do you know?')).toContain('FACT-blue');
      const records = await conversation.records();
      expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, at) => at + 1));
      expect(records).toContainEqual(
        expect.objectContaining({ kind: 'compaction', trust: 'person', isPrivate: true }),
      );
      const [first, second] = model.requests.at(-1)?.context ?? [];
      expect(first).toMatchObject({
        text: expect.stringContaining('<system_message origin="summary">'),
      });
      expect(second).toMatchObject({ role: 'user', text: expect.stringMatching(/^\d z+$/) });
    });
  });

  it('a replica that takes over an agent restores the same compacted context', async () => {
    const model = new WindowedModel({ window });
    const conversation = await conversations.begin(model);
    await conversation.ask('remember FACT-green');
    await fill(conversation);
    await conversation.ask('first');
    const before = model.requests.at(-1)?.context ?? [];
    await conversation.stopServing();
    const otherModel = new WindowedModel({ window });
    const next = await conversations.begin(otherModel, conversation.agent);
    await next.ask('second');
    const after = otherModel.requests.at(-1)?.context ?? [];
    expect(after.slice(0, before.length)).toEqual(before);
    await next.stopServing();
  });

  it.each([
    ['is empty', () => ''],
    [
      'the model refuses to write',
      () => {
        throw new AppError('FAILED_PRECONDITION', 'the model declined');
      },
    ],
  ])('a summary that %s does not block the agent', async (_, summary) => {
    const model = new WindowedModel({ window, summary });
    await withConversation(model, async (conversation) => {
      await fill(conversation);
      expect(await conversation.ask('short')).toContain('short');
      const notes = (await conversation.records()).filter(({ kind }) => kind === 'note');
      expect(notes[0]).toMatchObject({ text: expect.stringContaining('left out its oldest part') });
    });
  });

  it('the summary of a guest’s messages has a guest’s trust', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async (conversation) => {
      await conversation.askAsFriend('remember FACT-evil');
      await fill(conversation);
      expect(await conversation.records()).toContainEqual(
        expect.objectContaining({ kind: 'compaction', trust: 'guest' }),
      );
      const [first] = model.requests.at(-1)?.context ?? [];
      expect(first).toMatchObject({
        text: expect.stringContaining('text that was not written by your user'),
      });
    });
  });

  it('the model calls that compactions make are recorded as usage', async () => {
    const model = new WindowedModel({ window });
    await withConversation(model, async (conversation) => {
      await fill(conversation);
      expect(await conversation.countCalls()).toBe(6 + model.summaries);
    });
  });
});
