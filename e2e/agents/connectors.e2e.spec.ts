import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { decodeJwt } from 'jose';
import { importSigningKey, signAccessToken, type SigningKey } from '@daycare/auth';
import {
  AgentRole,
  OverlapPolicy,
  type UserMessageRecord,
  type WatchConnectorResponse,
} from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { conversationOf, ModelServer, openAiEvents, uniqueName } from '@daycare/testing';
import { download } from '../support/people/files';
import { post } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
const { identity, people, runtime } = stack;
const admin = { metadata: stack.adminMetadata };

let signing: SigningKey;
beforeAll(async () => {
  const keys = stack.db('identity').collection<{ _id: string; privateJwk: object }>('signing_keys');
  const stored = await keys.findOne({});
  signing = await importSigningKey(stored!._id, stored!.privateJwk);
});

/** Returns credentials for a client with this name, signed here because the shared stack has no clients. */
async function asClient(name: string): Promise<CallOptions> {
  const issuedAt = Math.floor(Date.now() / 1000);
  const { token: adminToken } = await people.signInWithToken('');
  // Every token needs the id of an existing credential.
  const credentialId = String(decodeJwt(adminToken)['by']);
  const claims = { tokenId: createId(), credentialId, issuedAt, expiresAt: issuedAt + 600 };
  const token = await signAccessToken({ kind: 'client', name, ...claims }, signing);
  return { metadata: { authorization: `Bearer ${token}` }, timeoutMs: 60_000 };
}

/** Creates a person as a connector does, by resolving a connector key. */
async function newPersonVia(
  connector: string,
): Promise<{ key: string; userId: string; as: CallOptions }> {
  const key = createId();
  const request = { requestId: createId(), connector, key, name: 'Somebody' };
  const { user } = await identity.resolveConnectorKey(request, admin);
  return { key, userId: user!.id, as: await people.signIn(user!.id) };
}

const messageVia = (connector: string, key: string, text: string) => ({
  ...post(text),
  requestId: createId(),
  connector,
  connectorUserId: key,
  channelId: key,
});

/**
 * Adds a model that writes and attaches a file, and makes one person use it; resolves with a function that removes the
 * model.
 */
async function useFilingModel(as: CallOptions): Promise<() => Promise<void>> {
  const call = (name: string, args: object) => ({
    id: `c-${name}`,
    name,
    fragments: [JSON.stringify(args)],
  });
  const write = call('file_write', { path: 'home/plan.txt', content: 'Green tea' });
  const attach = call('attach_file', { path: 'home/plan.txt' });
  const server = await ModelServer.start(({ body }) => {
    const resultCount = conversationOf(body).filter(({ role }) => role === 'tool').length;
    const calls = [write, attach].slice(resultCount, resultCount + 1);
    return { steps: openAiEvents(calls.length > 0 ? { calls } : { text: ['Here is the plan'] }) };
  });
  const name = uniqueName('filing').toLowerCase();
  const models = [{ id: 'm', contextWindow: 100_000, maxOutputTokens: 4_000, images: true }];
  const addition = { requestId: createId(), name, url: server.url, models };
  await runtime.addModelProvider(addition, await people.signIn(''));
  const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
  await runtime.setModel({ requestId: createId(), ...scope, models: [`${name}/m`] }, as);
  return async () => {
    const removal = { requestId: createId(), name };
    await runtime.removeModelProvider(removal, await people.signIn(''));
    await server.close();
  };
}

/** Reads the stream until it has delivered all of these answers. */
async function readUntilAnswered(
  events: AsyncIterable<WatchConnectorResponse>,
  wanted: readonly string[],
  onEvent: (event: WatchConnectorResponse) => void = () => undefined,
): Promise<void> {
  const missing = new Set(wanted);
  for await (const event of events) {
    onEvent(event);
    const record = event.event?.$case === 'record' ? event.event.value.record : undefined;
    if (record?.$case === 'assistantMessage') missing.delete(record.value.text);
    if (missing.size === 0) return;
  }
}

/** Reads the stream up to the first result of a scheduled run. */
async function readResult(
  events: AsyncIterable<WatchConnectorResponse>,
): Promise<UserMessageRecord> {
  for await (const { event } of events) {
    const record = event?.$case === 'record' ? event.value.record : undefined;
    if (record?.$case === 'userMessage' && record.value.forPerson) return record.value;
  }
  throw new Error('the stream has ended');
}

describe('a connector', () => {
  it('a connector receives the records of its users’ agents from one replica and resumes on the other', async () => {
    const connector = uniqueName('bridge').toLowerCase();
    const [ada, bob] = await Promise.all([newPersonVia(connector), newPersonVia(connector)]);
    const client = await asClient(connector);
    const seen: WatchConnectorResponse[] = [];
    const remember = (event: WatchConnectorResponse): void => void seen.push(event);
    const first = stack.runtimes[0]!.watchConnector({ position: '', skipStored: false }, client);
    const watching = readUntilAnswered(first, ['You said: one', 'You said: two'], remember);
    await runtime.postMessage(messageVia(connector, ada.key, 'one'), ada.as);
    await stack.runtimes[1]!.postMessage(messageVia(connector, bob.key, 'two'), bob.as);
    await watching;
    const { position } = seen.filter((event) => event.position !== '').at(-1)!;
    await runtime.postMessage(messageVia(connector, bob.key, 'three'), bob.as);
    const second = stack.runtimes[1]!.watchConnector({ position, skipStored: false }, client);
    await readUntilAnswered(second, ['You said: three'], remember);
    for (const person of [ada, bob]) {
      const own = seen.filter(({ userId }) => userId === person.userId);
      const records = own.flatMap(({ event }) => (event?.$case === 'record' ? [event.value] : []));
      expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, at) => at + 1));
      const channel = { connector, connectorUserId: person.key, channelId: person.key };
      expect(own.map((event) => event.channel)).toEqual(own.map(() => channel));
    }
  });

  it('a connector receives a scheduled run’s result with its files, which the person can download', async () => {
    const connector = uniqueName('bridge').toLowerCase();
    const ada = await newPersonVia(connector);
    await runtime.postMessage(messageVia(connector, ada.key, 'hello'), ada.as);
    const removeModel = await useFilingModel(ada.as);
    const cron = { name: 'plan', schedule: '0 0 1 1 *', prompt: 'Make a plan', timeZone: '' };
    const defaults = {
      requestId: createId(),
      agentId: '',
      once: false,
      quiet: false,
      overlap: OverlapPolicy.UNSPECIFIED,
    };
    const { cron: created } = await runtime.createCron({ ...cron, ...defaults }, ada.as);
    await runtime.runCron({ requestId: createId(), cronId: created!.id }, ada.as);
    const events = runtime.watchConnector(
      { position: '', skipStored: false },
      await asClient(connector),
    );
    const result = await readResult(events);
    await removeModel();
    expect(result).toMatchObject({
      origin: `result:cron:${created!.id}`,
      text: 'Here is the plan',
    });
    expect(result.files).toMatchObject([{ name: 'plan.txt', size: 9 }]);
    const { content } = await download(runtime, ada, result.files[0]!.id);
    expect(content.toString()).toBe('Green tea');
  });

  it('a connector receives nothing about users who did not come through it, even if they write to one of its channels', async () => {
    const connector = uniqueName('bridge').toLowerCase();
    const [ada, eve] = await Promise.all([newPersonVia(connector), people.newPerson()]);
    await runtime.postMessage(messageVia(connector, ada.key, 'pretending'), eve.as);
    await runtime.postMessage(messageVia(connector, ada.key, 'hello'), ada.as);
    const seen: WatchConnectorResponse[] = [];
    const events = runtime.watchConnector(
      { position: '', skipStored: false },
      await asClient(connector),
    );
    await readUntilAnswered(events, ['You said: hello'], (event) => void seen.push(event));
    expect(new Set(seen.map(({ userId }) => userId).filter(Boolean))).toEqual(
      new Set([ada.userId]),
    );
  });
});
