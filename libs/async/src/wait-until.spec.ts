import { expect, it } from '@jest/globals';
import { waitUntil } from './wait-until';

it('waitUntil waits until the condition holds', async () => {
  let checks = 0;
  await waitUntil(() => (checks += 1) === 3, 60_000);
  expect(checks).toBe(3);
});

it('waitUntil stops waiting at its timeout', async () => {
  await expect(waitUntil(() => false, 50)).resolves.toBeUndefined();
});
