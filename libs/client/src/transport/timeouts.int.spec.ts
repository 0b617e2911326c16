import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createFetchTransport } from './fetch-transport';
import { connect } from '../node';
import { services } from './transport';

const { agentRuntime, identity } = services;
const request = { knownPosition: undefined };
const upload = {
  requestId: 'r1',
  name: 'a',
  type: 'text/plain',
  bytes: new Uint8Array([1]),
  sha256: '',
};
const shortTimeout = { authorization: undefined, timeoutMs: 50 };
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/** Starts a server in place of the gateway and creates a transport to it. */
async function connectToGateway(answers: RequestListener) {
  const server = createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return createFetchTransport(`http://127.0.0.1:${port}`, { marginMs: 50 });
}

describe('the fetch transport', () => {
  it.each<[string, RequestListener]>([
    ['never responds', () => undefined],
    [
      'stops in the middle of its response',
      (_, response) => void response.writeHead(200).write('x'),
    ],
  ])('fails a call with DEADLINE_EXCEEDED when the gateway %s', async (_, answers) => {
    const transport = await connectToGateway(answers);
    const timedOut = { reason: 'DEADLINE_EXCEEDED' };
    const call = transport.unary(identity.getJwks, request, shortTimeout);
    await expect(call).rejects.toMatchObject(timedOut);
    await expect(transport.upload(upload, shortTimeout)).rejects.toMatchObject(timedOut);
  });

  it('reports a call as cancelled when its caller aborts it', async () => {
    const transport = await connectToGateway(() => undefined);
    const options = { authorization: undefined, signal: AbortSignal.timeout(20) };
    await expect(transport.unary(identity.getJwks, request, options)).rejects.toMatchObject({
      reason: 'CANCELLED',
    });
  });
});

it('an upload over gRPC has a default deadline of more than eight minutes', async () => {
  const server = new Server();
  let remainingMs = 0;
  server.addService(
    { uploadFile: agentRuntime.uploadFile },
    {
      uploadFile: (
        call: { getDeadline(): Date | number; resume(): void },
        done: (error: null, response: object) => void,
      ) => {
        remainingMs = Number(call.getDeadline()) - Date.now();
        call.resume();
        done(null, { file: { id: 'f1', name: 'a', mimeType: '', size: 5 }, sha256: '' });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const daycare = connect({ url: `http://127.0.0.1:${port}` });
  cleanups.push(() => (daycare.close(), server.forceShutdown()));
  await daycare.files.upload('words', { name: 'a' });
  expect(remainingMs).toBeGreaterThan(500_000);
});
