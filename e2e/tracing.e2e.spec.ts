import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { createRpcClient } from '@daycare/rpc';
import { eventually, startTestStack } from '@daycare/testing';

it('calls are told of to the collector that is named', async () => {
  const told: string[] = [];
  const collector = createServer((request, response) => {
    void text(request).then((body) => {
      told.push(`${request.url} ${body}`);
      response.end('{}');
    });
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const sampled = { DAYCARE_TRACE_PER_MILLE: '1000' };
  const stack = await startTestStack({ services: ['identity'], env: { ...env, ...sampled } });
  const identity = createRpcClient(IdentityServiceService, {
    address: stack.addressOf('identity'),
  });
  try {
    const metadata = stack.adminMetadata;
    await identity.createUser({ requestId: 'traced', name: 'Ada' }, { metadata });
    await eventually(() => told.some((each) => each.includes('CreateUser')));
    expect(told[0]).toMatch(/^\/v1\/traces .*daycare-identity/);
  } finally {
    identity.close();
    await stack.stop();
    collector.close();
  }
}, 60_000);
