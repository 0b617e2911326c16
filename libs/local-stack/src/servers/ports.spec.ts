import { expect, it } from '@jest/globals';
import { planPorts } from '../stack/plan-ports';
import { chooseFreePort } from './ports';
import { claimFreePort } from './remembered-port';

const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux('chooseFreePort skips a port that is reserved for a service that is down', async () => {
  const [planned] = await planPorts([{ owner: 'service' }]);
  await planned!.open();
  const other = await chooseFreePort();
  expect(await chooseFreePort(pickInOrder(planned!.port, other))).toBe(other);
  await planned!.release();
  expect(await chooseFreePort(pickInOrder(planned!.port, other))).toBe(planned!.port);
});

itOnLinux(
  'chooseFreePort skips a port that is claimed for a server that has not started yet',
  async () => {
    const claimed = await claimFreePort();
    const other = await chooseFreePort();
    expect(await chooseFreePort(pickInOrder(claimed, other))).toBe(other);
  },
);

function pickInOrder(...ports: readonly number[]): () => number {
  const remaining = [...ports];
  return () => remaining.shift() ?? 0;
}
