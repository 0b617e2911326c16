import { expect, it } from '@jest/globals';
import { runContexts } from '../support/load/contexts/run-contexts';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
const window = 32_000;

/** `npm run soak -- --contexts --hostile` does the same for 10,000 turns. */
it('an agent with a small context window answers its user and a hostile friend, and at the end still knows the facts it was told early', async () => {
  const figures = await runContexts({ stack, turns: 40, window, hasHostileFriend: true });
  expect(figures).toMatchObject({ faults: [], refusals: 0, turns: 40 });
  expect(figures.summaries).toBeGreaterThan(2);
  expect(figures.images).toBeGreaterThan(2);
  expect(figures.largest).toBeLessThan(window);
}, 120_000);
