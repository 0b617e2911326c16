import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useFixture } from '@daycare/testing/jest';
import { startConversations, type Conversation } from '../../test-support/model/conversation';
import { WindowedModel } from '../../test-support/model/windowed-model';

const window = 32_000;
/** SOAK_TURNS sets a higher number, for a run of several hours. */
const turns = Number(process.env['SOAK_TURNS'] ?? 60);
const conversations = useFixture(() => startConversations({ window }));

const dataUri = (length: number): string => `data:image/png;base64,${'A'.repeat(length)}`;
/** Ordinary messages, and messages meant to break things. */
const traffic: readonly ((at: number) => string)[] = [
  (at) => `short ${at}`,
  (at) => `long ${at} ${'word '.repeat(4_000)}`,
  (at) => `quotes ${at} ${`"'<&>`.repeat(3_000)}`,
  (at) => `image ${at} ${dataUri(30_000)}`,
  (at) => `look ${at}`,
  (at) => `giant ${at} ${'x'.repeat(200_000)}`,
];
const callsFor = (text: string) =>
  text.startsWith('look') ? Array.from({ length: 6 }, () => ({ size: 7_500 })) : [];

function heapMb(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}

/** Sends messages of every kind, one after the other; returns what was measured. */
async function endure(conversation: Conversation, model: WindowedModel, hostile: boolean) {
  const heap: number[] = [];
  const startedMs = Date.now();
  for (let at = 0; at < turns; at += 1) {
    const text = traffic[at % traffic.length]!(at);
    const isFriend = hostile && at % 2 === 1;
    const answer = await (isFriend ? conversation.askAsFriend(text) : conversation.ask(text));
    if (!answer.includes(` ${at}`)) throw new Error(`turn ${at} was not answered: ${answer}`);
    if (at % 500 === 499) heap.push(heapMb());
  }
  const { largest, refusals, summaries } = model;
  return { turns, largest, refusals, summaries, seconds: (Date.now() - startedMs) / 1_000, heap };
}

describe('many turns of mixed traffic', () => {
  it.each([
    ['from its user', false],
    ['from its user and from a friend who tries to overflow the context', true],
  ])(
    'an agent that gets messages %s answers each of them and still remembers the first',
    async (_, hostile) => {
      const model = new WindowedModel({ window, callsFor });
      const conversation = await conversations.begin(model);
      await conversation.ask('remember FACT-one and FACT-two');
      const figures = await endure(conversation, model, hostile);
      if (process.env['SOAK_TURNS']) process.stderr.write(`${JSON.stringify(figures)}\n`);
      expect(figures.largest).toBeLessThanOrEqual(window);
      expect(figures.summaries).toBeGreaterThan(2);
      expect(await conversation.ask('which facts do you know?')).toContain('FACT-one FACT-two');
      expect(await conversation.deadLetterReasons()).toEqual([]);
      await conversation.stopServing();
    },
    24 * 60 * 60_000,
  );

  it('no sequence of messages leaves an agent unable to answer the next one', async () => {
    const message = fc.record({
      text: fc
        .tuple(
          fc.constantFrom('a', '"', '<system_message ', '文', '😀', dataUri(50)),
          fc.nat(40_000),
        )
        .map(([piece, length]) => piece.repeat(Math.ceil(length / piece.length))),
      isFriend: fc.boolean(),
      sizes: fc.array(fc.nat(9_000), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 3_000, max: window }),
        fc.constantFrom(4, 2, 1),
        async (messages, realWindow, charactersPerToken) => {
          let sizes: readonly number[] = [];
          const model = new WindowedModel({
            window: realWindow,
            charactersPerToken,
            callsFor: () => sizes.map((size) => ({ size })),
          });
          const conversation = await conversations.begin(model);
          for (const { text, isFriend, sizes: callSizes } of messages) {
            sizes = callSizes;
            await (isFriend ? conversation.askAsFriend(text) : conversation.ask(text));
          }
          sizes = [];
          expect(await conversation.ask('are you there?')).toContain('are you there?');
          await conversation.stopServing();
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
  }, 300_000);
});
