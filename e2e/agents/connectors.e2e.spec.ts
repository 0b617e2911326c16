import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { decodeJwt } from 'jose';
import { importSigningKey, signAccessToken, type SigningKey } from '@daycare/auth';
import type { WatchConnectorResponse } from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { uniqueName } from '@daycare/testing';
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

/** As a client of this name calls; the shared stack has no credentials of clients. */
async function asClient(name: string): Promise<CallOptions> {
  const issuedAt = Math.floor(Date.now() / 1000);
  const { token: ofAdmin } = await people.signInFor('');
  // A token must be of some credential.
  const credentialId = String(decodeJwt(ofAdmin)['by']);
  const facts = { tokenId: createId(), credentialId, issuedAt, expiresAt: issuedAt + 600 };
  const token = await signAccessToken({ kind: 'client', name, ...facts }, signing);
  return { metadata: { authorization: `Bearer ${token}` }, timeoutMs: 60_000 };
}

/** A person whom the connector has brought. */
async function bring(connector: string): Promise<{ key: string; userId: string; as: CallOptions }> {
  const key = createId();
  const request = { requestId: createId(), connector, key, name: 'Somebody' };
  const { user } = await identity.resolveConnectorKey(request, admin);
  return { key, userId: user!.id, as: await people.signIn(user!.id) };
}

const say = (connector: string, key: string, text: string) => ({
  ...post(text),
  requestId: createId(),
  connector,
  connectorUserId: key,
  channelId: key,
});

/** Collects what the stream sends until it has all of these answers. */
async function answersUntil(
  events: AsyncIterable<WatchConnectorResponse>,
  wanted: readonly string[],
  onEvent: (event: WatchConnectorResponse) => void = () => undefined,
): Promise<void> {
  const left = new Set(wanted);
  for await (const event of events) {
    onEvent(event);
    const record = event.event?.$case === 'record' ? event.event.value.record : undefined;
    if (record?.$case === 'assistantMessage') left.delete(record.value.text);
    if (left.size === 0) return;
  }
}

describe('a connector', () => {
  it('receives what the agents of its people record, at every replica, and continues at the other', async () => {
    const connector = uniqueName('bridge').toLowerCase();
    const [ada, bob] = await Promise.all([bring(connector), bring(connector)]);
    const client = await asClient(connector);
    const seen: WatchConnectorResponse[] = [];
    const remember = (event: WatchConnectorResponse): void => void seen.push(event);
    const first = stack.runtimes[0]!.watchConnector({ position: '', skipStored: false }, client);
    const watching = answersUntil(first, ['You said: one', 'You said: two'], remember);
    await runtime.postMessage(say(connector, ada.key, 'one'), ada.as);
    await stack.runtimes[1]!.postMessage(say(connector, bob.key, 'two'), bob.as);
    await watching;
    const { position } = seen.filter((event) => event.position !== '').at(-1)!;
    await runtime.postMessage(say(connector, bob.key, 'three'), bob.as);
    const second = stack.runtimes[1]!.watchConnector({ position, skipStored: false }, client);
    await answersUntil(second, ['You said: three'], remember);
    for (const person of [ada, bob]) {
      const own = seen.filter(({ userId }) => userId === person.userId);
      const records = own.flatMap(({ event }) => (event?.$case === 'record' ? [event.value] : []));
      expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, at) => at + 1));
      const channel = { connector, connectorUserId: person.key, channelId: person.key };
      expect(own.map((event) => event.channel)).toEqual(own.map(() => channel));
    }
  });

  it('receives nothing about people whom it has not brought, whatever channel they write to', async () => {
    const connector = uniqueName('bridge').toLowerCase();
    const [ada, eve] = await Promise.all([bring(connector), people.newPerson()]);
    await runtime.postMessage(say(connector, ada.key, 'pretending'), eve.as);
    await runtime.postMessage(say(connector, ada.key, 'hello'), ada.as);
    const seen: WatchConnectorResponse[] = [];
    const events = runtime.watchConnector(
      { position: '', skipStored: false },
      await asClient(connector),
    );
    await answersUntil(events, ['You said: hello'], (event) => void seen.push(event));
    expect(new Set(seen.map(({ userId }) => userId).filter(Boolean))).toEqual(
      new Set([ada.userId]),
    );
  });
});
