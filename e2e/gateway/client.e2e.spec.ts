import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect as connectByGrpc, isDaycareError, type AgentEvent } from '@daycare/client';
import { connect as connectByFetch } from '@daycare/client/browser';
import { eventually } from '@daycare/testing';
import { startTestGateway, type TestGateway } from '../support/gateway/start-gateway';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
let gateway: TestGateway;
let url: string;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway(stack);
  url = `http://${gateway.current.grpcAddress}`;
}, 60_000);
afterAll(async () => {
  for (const client of clients) client.close();
  await gateway.stop();
});

describe.each([
  ['over gRPC', connectByGrpc],
  ['over fetch', connectByFetch],
])('@daycare/client %s', (_, connect) => {
  async function newClient() {
    const person = await stack.people.newPerson();
    const { token } = await stack.people.signInWithToken(person.id);
    const daycare = connect({ url, token });
    clients.push(daycare);
    return { person, daycare };
  }

  it('the client uploads a file, asks an agent about it, gets an answer and downloads the file again', async () => {
    const { daycare } = await newClient();
    const file = await daycare.files.upload('some words', { name: 'words.txt' });
    const answer = await daycare.agent().ask('hello there', { fileIds: [file.id] });
    expect(answer).toMatchObject({ failed: false, text: expect.stringContaining('hello there') });
    const { bytes, name } = await daycare.files.download(file.id);
    expect([name, Buffer.from(bytes).toString()]).toEqual(['words.txt', 'some words']);
    const listed = [];
    for await (const { id } of daycare.agents()) listed.push(id);
    expect(listed).toEqual([answer.agentId]);
  }, 60_000);

  it('the client adds friends, sends messages and shares subusers', async () => {
    const [{ person: ada, daycare: asAda }, { person: bob, daycare: asBob }] = [
      await newClient(),
      await newClient(),
    ];
    await asAda.friends.add(bob.nametag);
    await asBob.friends.add(ada.nametag);
    const friends = [];
    for await (const { nametag } of asAda.friends.list()) friends.push(nametag);
    expect(friends).toEqual([bob.nametag]);
    const { messageId } = await asAda.friends.send(bob.nametag, 'hi');
    expect((await asAda.friends.status(messageId)).acceptedAt).toBeInstanceOf(Date);
    const subuser = await asAda.subusers.create({ name: 'Cook' });
    await asAda.subusers.share(subuser.id, bob.nametag);
    const subusers = [];
    for await (const { id } of asAda.subusers.list()) subusers.push(id);
    expect(subusers).toEqual([subuser.id]);
  }, 60_000);

  it('the client throws errors with a reason and the invalid fields', async () => {
    const { daycare } = await newClient();
    const missing = await daycare.files.download('nothing').catch((error: unknown) => error);
    expect(isDaycareError(missing, 'NOT_FOUND')).toBe(true);
    const invalid = await daycare.subusers.create({ name: '' }).catch((error: unknown) => error);
    expect(invalid).toMatchObject({
      reason: 'INVALID_ARGUMENT',
      fields: [{ field: 'name', description: expect.any(String) }],
    });
  });

  it('the client renews an invalid token once for concurrent calls, none of which fails', async () => {
    const { id: userId } = await stack.people.newPerson();
    const request = { userId, agentId: '', publicKeyJwk: '' };
    const { tokens } = await stack.identity.issueToken(request, { metadata: stack.adminMetadata });
    const stored: object[] = [];
    const token = { access: 'expired', refresh: tokens!.refreshToken };
    const daycare = connect({ url, token, onTokens: (pair) => stored.push(pair) });
    clients.push(daycare);
    const calls = [daycare.rpc.identity.listSubusers({ pageSize: 0, pageToken: '' })];
    const friends: unknown[] = [];
    for await (const friend of daycare.friends.list()) friends.push(friend);
    expect(friends).toEqual([]);
    await Promise.all(calls);
    expect(stored).toHaveLength(1);
  });

  it('the client receives every record of an agent once and in order, even if the gateway is killed and restarted', async () => {
    const { daycare } = await newClient();
    const agent = daycare.agent();
    await agent.ask('first');
    const stop = new AbortController();
    const sequences: number[] = [];
    const addSequence = (event: AgentEvent) =>
      event.$case === 'record' && sequences.push(event.value.sequence);
    const watching = (async () => {
      for await (const event of agent.watch({ signal: stop.signal })) addSequence(event);
    })().catch((error: unknown) => expect(stop.signal.aborted && error).toBeTruthy());
    await eventually(() => sequences.length > 0);
    await gateway.kill();
    const asking = agent.ask('second', { requestId: 'second' });
    await gateway.restart();
    const { sequence } = await asking;
    await eventually(() => sequences.at(-1) === sequence);
    expect(sequences).toEqual(Array.from({ length: sequence }, (_, index) => index + 1));
    stop.abort();
    await watching;
  }, 90_000);
});
