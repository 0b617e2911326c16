import { afterEach, describe, expect, it } from '@jest/globals';
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthService,
} from '@daycare/contracts/health';
import { AppError } from '@daycare/api';
import { createRpcClient, startRpcServer, StreamLimiter } from '@daycare/rpc';
import { createHealth } from './health-service';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const nothing = (): void => undefined;

async function serve(maxWatchMs?: number) {
  const health = createHealth(['some.Service'], maxWatchMs);
  const streams = new StreamLimiter({ perOwner: 1, perAddress: 2, total: 10 });
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    services: [health.implementation],
    pipeline: {
      authenticate: () => ({ kind: 'anonymous' }),
      limit: () => {
        throw new AppError('RATE_LIMITED', 'Too many calls');
      },
      enterStream: (caller, call) => streams.enter(caller, call),
      observe: nothing,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      defaultTimeoutMs: 1_000,
    },
  });
  const client = createRpcClient(HealthService, { address: server.address });
  cleanups.push(
    () => server.drain(0),
    () => client.close(),
  );
  return { client, health };
}

describe('the health service', () => {
  it('responds to probes even if calls from their address are rate-limited', async () => {
    const { client, health } = await serve();
    health.setServing(true);
    await expect(client.check({ service: '' })).resolves.toEqual({ status: ServingStatus.SERVING });
  });

  it('limits how many watches an address may have open', async () => {
    const { client } = await serve();
    const open = () => client.watch({ service: '' })[Symbol.asyncIterator]();
    const streams = [open(), open()];
    for (const stream of streams) await stream.next();
    await expect(open().next()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    for (const stream of streams) await stream.return?.(undefined);
  });

  it.each(['', 'unknown.Service'])(
    'ends a watch of the service "%s" after the maximum duration',
    async (service) => {
      const { client } = await serve(50);
      const statuses = [];
      for await (const { status } of client.watch({ service })) statuses.push(status);
      expect(statuses).toEqual([
        service === '' ? ServingStatus.NOT_SERVING : ServingStatus.SERVICE_UNKNOWN,
      ]);
    },
  );

  it('reports a status change to a client that is watching', async () => {
    const { client, health } = await serve();
    const stream = client.watch({ service: 'some.Service' })[Symbol.asyncIterator]();
    const next = async () => ((await stream.next()) as { value: { status: number } }).value.status;
    expect(await next()).toBe(ServingStatus.NOT_SERVING);
    health.setServing(true);
    expect(await next()).toBe(ServingStatus.SERVING);
    await stream.return?.(undefined);
  });
});
