import { expect, it } from '@jest/globals';
import { planPorts } from '../stack/plan-ports';
import { chooseFreePort } from './ports';
import { claimFreePort } from './remembered-port';

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('does not choose a port reserved for a service that is down', async () => {
  const [planned] = await planPorts([{ owner: 'service' }]);
  await planned!.open();
  const other = await chooseFreePort();
  expect(await chooseFreePort(pickOf(planned!.port, other))).toBe(other);
  await planned!.release();
  expect(await chooseFreePort(pickOf(planned!.port, other))).toBe(planned!.port);
});

onLinux('does not choose a port claimed for a server that has not started yet', async () => {
  const claimed = await claimFreePort();
  const other = await chooseFreePort();
  expect(await chooseFreePort(pickOf(claimed, other))).toBe(other);
});

function pickOf(...ports: readonly number[]): () => number {
  const left = [...ports];
  return () => left.shift() ?? 0;
}
