import { EventEmitter } from 'node:events';
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, it } from '@jest/globals';
import { serviceOf } from '../rpc/public-services';
import type { Upstream } from '../rpc/upstreams';
import { downloadFile } from './download-file';
import type { FileExchange } from './file-routes';

const service = serviceOf('daycare.agent_runtime.v1.AgentRuntimeService');
const encode = (name: string, value: object): Uint8Array => {
  const { output } = service.method['downloadFile']!;
  return toBinary(output, create(output, { part: { case: name, value } }));
};

/** Returns a response whose reader disconnects without having read anything. As in HTTP/2, it has no `destroyed`. */
function unreadResponse(onDisconnect: () => void) {
  const response = new EventEmitter();
  response.once('close', onDisconnect);
  let writes = 0;
  const write = (): boolean => {
    writes += 1;
    if (writes === 1) setImmediate(() => response.emit('close'));
    return false;
  };
  return Object.assign(response, { write, setHeader: () => undefined, headersSent: false });
}

it('a download ends when its reader disconnects, even if more of the file has already arrived', async () => {
  let lentClients = 0;
  async function* parts() {
    yield encode('header', { sha256: 'ab' });
    for (let count = 0; count < 3; count += 1) yield encode('chunk', Buffer.alloc(1));
  }
  const lend = () => {
    lentClients += 1;
    return { client: { downloadFile: parts }, release: () => (lentClients -= 1) };
  };
  const disconnected = new AbortController();
  const exchange = {
    response: unreadResponse(() => disconnected.abort()),
    runtime: { service, clients: { lend } } as unknown as Upstream,
    options: { signal: disconnected.signal },
  } as unknown as FileExchange;
  await expect(downloadFile(exchange, 'f1')).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(lentClients).toBe(0);
});
