import { expect, it } from '@jest/globals';
import { planPorts } from '../stack/plan-ports';
import { chooseFreePort } from './ports';

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('does not choose a port reserved for a service that is down', async () => {
  const [planned] = await planPorts([{ owner: 'service' }]);
  await planned!.open();
  const other = await chooseFreePort();
  expect(await chooseFreePort(pickOf(planned!.port, other))).toBe(other);
  await planned!.release();
  expect(await chooseFreePort(pickOf(planned!.port, other))).toBe(planned!.port);
});

function pickOf(...ports: readonly number[]): () => number {
  const left = [...ports];
  return () => left.shift() ?? 0;
}
