import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { AttachedFile } from '../../agents';
import type { ModelRequest } from '../../models/providers/model-provider';
import { startConversations } from '../../test-support/model/conversation';
import { WindowedModel } from '../../test-support/model/windowed-model';

const window = 16_000;
const loaded: string[][] = [];
const conversations = useFixture(() =>
  startConversations({
    window,
    loadImages: async (_, wanted) => {
      const ids = wanted.map(({ fileId }) => fileId);
      loaded.push(ids);
      const shown = ids.filter((id) => !id.startsWith('broken'));
      return new Map(shown.map((id) => [id, { mediaType: 'image/jpeg', data: Buffer.from(id) }]));
    },
  }),
);
const newModel = () => new WindowedModel({ window, name: 'anthropic' });

const image = (id: string, edge = 4_000): AttachedFile => ({
  id,
  name: `${id}.jpg`,
  mimeType: 'image/jpeg',
  size: 5_000_000,
  dimensions: { width: edge, height: edge },
});
const text = (id: string): AttachedFile => ({
  id,
  name: `${id}.txt`,
  mimeType: 'text/plain',
  size: 8_000,
  text: 'words '.repeat(1_300),
  isWhole: true,
});
const sent = ({ images }: ModelRequest): string[] => [...(images?.keys() ?? [])];

it('a message’s images reach the model, even after the agent has moved to another replica', async () => {
  const model = newModel();
  const conversation = await conversations.begin(model);
  await conversation.ask('what is this?', [image('one', 500), image('broken1'), text('note')]);
  expect(sent(model.requests.at(-1)!)).toEqual(['one']);
  await conversation.ask('and now?');
  await conversation.stopServing();
  const elsewhere = newModel();
  const moved = await conversations.begin(elsewhere, conversation.agent);
  await moved.ask('and here?');
  expect(sent(elsewhere.requests.at(-1)!)).toEqual(['one']);
  const contextOf = (model: WindowedModel) => model.requests.at(-1)!.context.slice(0, 3);
  expect(contextOf(elsewhere)).toEqual(contextOf(model));
  await moved.stopServing();
});

it('requests with many images, text files and long messages fit the window, and the agent answers each message', async () => {
  const model = newModel();
  const conversation = await conversations.begin(model);
  for (let at = 0; at < 30; at += 1) {
    const images = Array.from({ length: (at * 7) % 17 }, (_, index) => image(`${at}-${index}`));
    const files = at % 3 === 0 ? [text(`t${at}`), text(`u${at}`), ...images] : images;
    const answer = await conversation.ask(
      `message ${at} ${'x'.repeat((at % 4) * 6_000)}`,
      files.slice(0, 16),
    );
    expect(answer).toContain(`message ${at}`);
  }
  expect(await conversation.ask('short')).toContain('short');
  expect(model.refusals).toBe(0);
  expect(model.largest).toBeLessThanOrEqual(window);
  expect(Math.max(...loaded.map(({ length }) => length))).toBeLessThanOrEqual(16);
  expect(loaded.some(({ length }) => length > 2)).toBe(true);
  expect(await conversation.deadLetterReasons()).toEqual([]);
  await conversation.stopServing();
});
