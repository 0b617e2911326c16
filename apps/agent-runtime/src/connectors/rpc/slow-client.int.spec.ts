import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { agentRuntimeAccess } from '@daycare/contracts/access';
import {
  AgentRuntimeServiceService,
  type WatchConnectorResponse,
} from '@daycare/contracts/agent-runtime';
import { agentRuntimeScopes } from '@daycare/contracts/scopes';
import { createRpcClient, implementService, startRpcServer, type RpcServer } from '@daycare/rpc';
import { eventually, uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import {
  connectorReplica,
  CountingStore,
  newAgentInFeed,
  note,
} from '../../test-support/connectors/test-connector';
import { startTestRuntime } from '../../test-support/test-runtime';
import { connectorHandlers } from './connector-handlers';

const runtime = useFixture(startTestRuntime);
const feed = uniqueName('bridge').toLowerCase();
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** How many entries the stream has read so far. */
let entriesRead = 0;
let server: RpcServer;
beforeAll(async () => {
  const entries = new CountingStore(runtime.mongo.db, (count) => (entriesRead += count));
  const watchConnector = connectorReplica(runtime, { entries });
  const rules = { roles: agentRuntimeAccess, scopes: agentRuntimeScopes };
  const service = implementService(
    'daycare.agent_runtime.v1.AgentRuntimeService',
    AgentRuntimeServiceService,
    rules,
    connectorHandlers({ watchConnector }),
  );
  server = await startRpcServer({
    listen: '127.0.0.1:0',
    services: [service],
    pipeline: {
      authenticate: () => ({ kind: 'client', name: feed, proof: 'token' }),
      limit: nothing,
      observe: nothing,
      log,
      defaultTimeoutMs: 60_000,
    },
  });
});
afterAll(() => server.drain(0));

const sequenceOf = ({ event }: WatchConnectorResponse): number[] =>
  event?.$case === 'record' ? [event.value.sequence] : [];

it('database reads pause while a client is not reading, and the client receives everything once it reads again', async () => {
  const stored = 80;
  const ada = await newAgentInFeed(runtime, feed);
  for (let count = 0; count < stored; count += 1)
    await note(runtime, ada, `${count} ${'x'.repeat(150_000)}`);
  const client = createRpcClient(AgentRuntimeServiceService, { address: server.address });
  const stream = client
    .watchConnector({ position: '', skipStored: false }, { timeoutMs: 60_000 })
    [Symbol.asyncIterator]();
  const first = await stream.next();
  // The service reads ahead at most what the connection buffers, plus sixteen responses and a page.
  const whenIdle = async (before: number): Promise<number> => {
    let rounds = 0;
    await eventually(() => {
      rounds = entriesRead === before ? rounds + 1 : 0;
      before = entriesRead;
      return rounds > 20;
    });
    return entriesRead;
  };
  expect(await whenIdle(entriesRead)).toBeLessThan(stored / 2);
  const sequences = sequenceOf(first.value as WatchConnectorResponse);
  while (sequences.length <= stored)
    sequences.push(...sequenceOf((await stream.next()).value as WatchConnectorResponse));
  expect(sequences).toEqual(Array.from({ length: stored + 1 }, (_, at) => at + 1));
  await stream.return?.(undefined);
  client.close();
}, 60_000);
