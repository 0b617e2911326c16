import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ask, startTarget, type TestTarget } from '../../test-support/raw-http';
import {
  neverAborted,
  TestEdges,
  type ExposedEndpoint,
  type TestEdge,
} from '../../test-support/test-edge';

let edges: TestEdges;
let site: TestEdge;
let replica: TestEdge;
let endless: TestTarget;
let exposed: ExposedEndpoint;

beforeAll(async () => {
  edges = await TestEdges.open();
  [site, replica] = [await edges.start(), await edges.start()];
  endless = await startTarget((_, response) => void response.write('begun'));
});
beforeEach(async () => {
  exposed = await site.expose({ kind: 'port', port: endless.port });
});
afterAll(async () => {
  await edges.close();
  await endless.close();
});

/** Starts an endless response; the returned function reports whether its connection has been closed. */
async function follow({ port }: TestEdge): Promise<() => boolean> {
  const outgoing = request({ host: '127.0.0.1', port, path: exposed.path, agent: false });
  outgoing.on('error', () => undefined).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.on('error', () => undefined);
  return () => response.destroyed && !response.complete;
}

const caller = { userId: 'u1' };
const renamed = {
  name: 'renamed',
  target: undefined,
  mode: undefined,
  auth: undefined,
  rotatePassword: false,
};

describe('open connections', () => {
  it('an endpoint’s connections are closed on every replica when it is deleted', async () => {
    const [isClosedHere, isClosedThere] = [await follow(site), await follow(replica)];
    await site.deleteEndpoint({ caller, requestId: 'gone', endpointId: exposed.id });
    await eventually(() => isClosedHere() && isClosedThere());
    expect(await ask(replica.port, exposed.path)).toMatchObject({ status: 404 });
  });

  it('changing an endpoint closes its open connections, but not those opened after the change', async () => {
    const [isClosedHere, isClosedThere] = [await follow(site), await follow(replica)];
    await site.updateEndpoint({
      caller,
      requestId: 'change',
      signal: neverAborted,
      endpointId: exposed.id,
      change: renamed,
    });
    await eventually(() => isClosedHere() && isClosedThere());
    const isNewClosed = await follow(replica);
    await replica.edge.closeStaleConnections();
    expect(isNewClosed()).toBe(false);
  });

  it('an endpoint’s connections are closed by the next check if no hint announced that its user was deleted', async () => {
    const isClosed = await follow(replica);
    await replica.edge.closeStaleConnections();
    expect(isClosed()).toBe(false);
    await edges.stores.endpoints.deleteByUser('u1');
    await replica.edge.closeStaleConnections();
    await eventually(isClosed);
  });
});

it('a stopping edge refuses new connections, finishes open requests, and disconnects those that exceed the time limit', async () => {
  const stopping = await edges.start();
  const finishing = await startTarget((_, response) => {
    response.write('begun');
    finish = () => response.end();
  });
  let finish = (): void => undefined;
  const { path } = await site.expose({ kind: 'port', port: finishing.port });
  const last = ask(stopping.port, path);
  await eventually(() => finishing.seen.length === 1);
  const isClosed = await follow(stopping);
  stopping.edge.stopAccepting();
  await expect(ask(stopping.port, path)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  finish();
  expect(await last).toMatchObject({ status: 200, body: 'begun' });
  expect(isClosed()).toBe(false);
  await stopping.edge.drain(50);
  await eventually(isClosed);
  await finishing.close();
});

it.each([
  ['', /^http:\/\/127\.0\.0\.1:\d+\/e\/ab12\/$/],
  ['https://edge.example', /^https:\/\/edge\.example\/e\/ab12\/$/],
  ['https://edge.example/base/', /^https:\/\/edge\.example\/base\/e\/ab12\/$/],
])('given the base URL %j, the edge builds endpoint URLs that match %s', async (url, expected) => {
  const { edge } = await edges.start({ url });
  expect(edge.urlOf('ab12')).toMatch(expected);
});
