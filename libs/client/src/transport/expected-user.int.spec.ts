import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from '../browser';

describe('the client for browsers', () => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers['x-expected-user']);
    response.writeHead(404).end();
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  beforeEach(() => void received.splice(0));

  const callAll = async (expectedUser?: string): Promise<void> => {
    const daycare = connect({ url, ...(expectedUser !== undefined && { expectedUser }) });
    const failed = { reason: 'UNIMPLEMENTED' };
    await expect(daycare.rpc.identity.getJwks({})).rejects.toMatchObject(failed);
    await expect(daycare.files.upload('a', { name: 'a' })).rejects.toMatchObject(failed);
    await expect(daycare.files.download('f1')).rejects.toMatchObject(failed);
  };

  it('sends the expected user with every call, upload and stream', async () => {
    await callAll('ada');
    expect(received).toEqual(['ada', 'ada', 'ada']);
  });

  it('sends no expected user unless one is given', async () => {
    await callAll();
    expect(received).toEqual([undefined, undefined, undefined]);
  });
});
