import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateMessages, type AttachedFile, type ContextMessage } from '../../../agents';
import { imageRulesOf } from '../../../models';
import { fitContext } from './fit-context';
import { planCompaction } from './plan-compaction';
import { requestTokens } from './request-limits';
import { showImages } from './show-images';
import { transcriptOf } from './summary';

const capabilities = { images: true, tools: true, parallelTools: true, reasoning: false };
const rules = imageRulesOf({ provider: 'anthropic', id: 'claude', capabilities })!;
const maxRequestTokens = 100_000;

const image = (id: string, more: Partial<AttachedFile> = {}): AttachedFile => ({
  id,
  name: `${id}.png`,
  mimeType: 'image/png',
  size: 10,
  dimensions: { width: 750, height: 1_000 },
  ...more,
});
const message = (sequence: number, files: readonly AttachedFile[] = []): ContextMessage => ({
  role: 'user',
  text: `message ${sequence}`,
  files,
  sequence,
});
const answer = (sequence: number, inputTokens?: number): ContextMessage => ({
  role: 'assistant',
  text: 'ok',
  toolCalls: [],
  sequence,
  ...(inputTokens === undefined ? {} : { inputTokens }),
});
const talk = (count: number): ContextMessage[] =>
  Array.from({ length: count }, (_, at) => message(at + 1, [image(`i${at + 1}`)]));
const shownIn = (context: readonly ContextMessage[]): string[] =>
  context.flatMap((each) =>
    each.role === 'user' ? (each.images ?? []).map(({ fileId }) => fileId) : [],
  );

describe('showImages', () => {
  it('for a model that accepts images, adds them to the context, each with its token count; for other models, leaves only their names', () => {
    const context = [message(1, [image('a'), image('b', { mimeType: 'image/tiff' })])];
    expect(showImages(context, undefined, maxRequestTokens)).toBe(context);
    expect(showImages(context, rules, maxRequestTokens)).toMatchObject([
      { images: [{ fileId: 'a', width: 750, height: 1_000, tokens: 1_000 }] },
    ]);
  });

  it('images from guests are not shown', () => {
    const context = [message(1, [image('a', { writtenBy: 'guest' })])];
    expect(shownIn(showImages(context, rules, maxRequestTokens))).toEqual([]);
  });

  it('old images are left out in groups, so that the beginning of requests rarely changes', () => {
    const changes = Array.from({ length: 60 }, (_, at) => {
      const before = shownIn(showImages(talk(at), rules, maxRequestTokens));
      const after = shownIn(showImages(talk(at + 1), rules, maxRequestTokens));
      expect(after.length).toBeLessThanOrEqual(16);
      expect(after.at(-1)).toBe(`i${at + 1}`);
      return before.every((id) => after.includes(id)) ? 0 : 1;
    });
    expect(changes.filter(Boolean)).toHaveLength(5);
  });

  it('all images in a message with the maximum number of images are shown', () => {
    const many = Array.from({ length: 16 }, (_, at) => image(`m${at}`));
    const context = [...talk(10), message(11, many)];
    expect(shownIn(showImages(context, rules, maxRequestTokens))).toEqual(many.map(({ id }) => id));
  });

  it('images never take up more than half of a request', () => {
    const context = showImages(talk(12), rules, 6_000);
    expect(shownIn(context).length).toBeGreaterThan(0);
    expect(shownIn(context).length).toBeLessThanOrEqual(3);
    expect(shownIn(showImages(talk(12), rules, 500))).toEqual([]);
  });
});

describe('a context with images', () => {
  it('any mix of text, files and images can be made to fit into a request', () => {
    const file = fc.record({
      kind: fc.constantFrom('image', 'text', 'binary'),
      size: fc.integer({ min: 1, max: 8_000 }),
    });
    const turns = fc.array(fc.tuple(fc.nat(20_000), fc.array(file, { maxLength: 16 })), {
      minLength: 1,
      maxLength: 12,
    });
    const sizes = fc.integer({ min: 2_000, max: 40_000 });
    fc.assert(
      fc.property(turns, sizes, (drawnTurns, maxTokens) => {
        const context = drawnTurns.map(([length, files], at): ContextMessage => ({
          role: 'user',
          text: 'x'.repeat(length),
          sequence: at + 1,
          files: files.map(({ kind, size }, index) =>
            image(`${at}-${index}`, {
              mimeType: kind === 'image' ? 'image/jpeg' : 'text/plain',
              dimensions: { width: size, height: size },
              ...(kind === 'text' ? { text: 'y'.repeat(size) } : {}),
            }),
          ),
        }));
        const shown = showImages(context, rules, maxTokens);
        const fitting = fitContext(shown, maxTokens);
        const minTokens = context.length * (8 + 60);
        expect(estimateMessages(fitting)).toBeLessThanOrEqual(Math.max(maxTokens, minTokens));
      }),
    );
  });

  it('old images are removed before any text is truncated', () => {
    const context = showImages(talk(6), rules, maxRequestTokens);
    const fitting = fitContext(context, 3_500);
    expect(shownIn(fitting)).toEqual(['i4', 'i5', 'i6']);
    const textOf = (each: ContextMessage) => each.role === 'user' && each.text;
    expect(fitting.map(textOf)).toEqual(context.map(textOf));
  });

  it('images count towards a request’s size even if the model that gave the previous answer was not shown them', () => {
    const context = [message(1, [image('a')]), answer(2, 900), message(3)];
    const shown = showImages(context, rules, maxRequestTokens);
    expect(requestTokens(shown, 500)).toBeGreaterThan(1_500);
    expect(requestTokens(context, 500)).toBeLessThan(1_000);
  });

  it('a compaction counts the tokens of images, and its transcript names the files', () => {
    const context = showImages(
      talk(8).flatMap((each) => [each, answer((each.sequence ?? 0) + 100)]),
      rules,
      maxRequestTokens,
    );
    const plan = planCompaction(context, 8, 8_000)!;
    expect(plan.keptTokens).toBeGreaterThan(1_000);
    expect(plan.keptTokens).toBeLessThanOrEqual(8_000);
    expect(transcriptOf(plan.older, 8_000)).toContain('i1.png, image/png, 10 bytes, id i1');
  });
});
