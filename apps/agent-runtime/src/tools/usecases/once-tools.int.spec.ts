import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import type { UserHomes } from '../../homes/usecases/user-homes';
import { makeSearchFiles } from '../../homes/usecases/search-files';
import { buildMemory } from '../../memory/build';
import { TestHomes } from '../../test-support/homes/test-homes';
import { testAgent, testContext } from '../../test-support/test-agent';
import { testRegistry } from '../../test-support/test-tool';
import type { ToolRegistry } from '../registry/tool-registry';
import { ToolCallStore } from '../store/tool-call-store';
import { makeToolLedger } from './keep-ledger';
import { fileTools } from '../families/file-tools';
import { memoryTools } from '../families/memory-tools';

let test: TestHomes;
let homes: UserHomes;
let agent: Agent;

beforeAll(async () => {
  test = await TestHomes.open();
  homes = await test.replica();
});
afterAll(() => test.close());
beforeEach(async () => {
  agent = testAgent({ userId: (await test.newUser(homes)).userId });
});

/** The point at which a process dies. */
type Death = 'before the effect' | 'in the middle' | 'before the result' | 'never';

const die = (): never => {
  throw new Error('killed');
};

/** The tools of a process that dies at this point. */
function makeTools(death: Death): ToolRegistry {
  const store = new ToolCallStore(test.mongo.db);
  const toolCalls = {
    find: store.find.bind(store),
    begin: store.begin.bind(store),
    finish: death === 'before the result' ? async () => die() : store.finish.bind(store),
  };
  const dyingHomes: UserHomes = {
    ...homes,
    write: death === 'before the effect' ? async () => die() : (...args) => homes.write(...args),
    async remove(userId, path, options) {
      if (death === 'before the effect') die();
      if (death !== 'in the middle') return homes.remove(userId, path, options);
      await homes.remove(userId, `${path}/a.txt`);
      return die();
    },
  };
  const ledger = makeToolLedger({ toolCalls, now: () => new Date() });
  const files = { homes: dyingHomes, searchFiles: makeSearchFiles({ homes }) };
  const memory = buildMemory({ homes: dyingHomes, now: () => new Date() });
  return testRegistry([...fileTools({ files, ledger }), ...memoryTools({ memory, ledger })]);
}

async function call(name: string, args: object, requestId = createId(), death: Death = 'never') {
  const context = testContext(agent, { requestId });
  const { resultJson } = await makeTools(death).call(name, JSON.stringify(args), context);
  return JSON.parse(resultJson) as Record<string, unknown>;
}

/** Makes a call in a process that dies at this point; returns the request id with which to retry the call. */
async function callInterrupted(death: Death, name: string, args: object): Promise<string> {
  const requestId = createId();
  await expect(call(name, args, requestId, death)).rejects.toThrow('killed');
  return requestId;
}

const path = 'home/a.txt';
const content = async (file = path): Promise<string | undefined> =>
  (await homes.read(agent.userId, file, 1_000))?.toString('utf8');
const write = (text: string, requestId?: string) =>
  call('file_write', { path, content: text }, requestId);
const nodeText = async () => (await call('memory_read', { nodeId: 'tea' }))['text'];
const note = (text: string) => ({ nodeId: 'tea', title: 'Tea', content: text, parents: [] });

describe('a call that is retried after it succeeded', () => {
  it('a retried file_write returns its first result and leaves a newer version in place', async () => {
    const requestId = createId();
    const first = await write('old', requestId);
    await write('newer');
    expect(await write('old', requestId)).toEqual(first);
    expect(await content()).toBe('newer');
  });

  it('a retried file_write does not bring back a file that has been deleted since the first call', async () => {
    const requestId = createId();
    const first = await write('old', requestId);
    await call('file_delete', { path });
    expect(await write('old', requestId)).toEqual(first);
    expect(await content()).toBeUndefined();
  });

  it('a retried file_delete returns its first result and keeps a file created since then', async () => {
    await write('old');
    const requestId = createId();
    const first = await call('file_delete', { path }, requestId);
    await write('newer');
    expect(await call('file_delete', { path }, requestId)).toEqual(first);
    expect(await content()).toBe('newer');
  });

  it('a retried memory_write returns its first result and leaves a newer version in place', async () => {
    const requestId = createId();
    const first = await call('memory_write', note('old'), requestId);
    await call('memory_write', note('newer'));
    expect(await call('memory_write', note('old'), requestId)).toEqual(first);
    expect(await nodeText()).toBe('newer');
  });

  it('a request id cannot be used again with other arguments', async () => {
    const requestId = createId();
    await write('old', requestId);
    await expect(write('other', requestId)).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
    await expect(call('file_delete', { path }, requestId)).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
    expect(await content()).toBe('old');
  });
});

describe.each(['before the effect', 'before the result'] as const)(
  'after a process was killed %s',
  (death) => {
    it('a retried file_write takes effect only once', async () => {
      await write('first');
      const requestId = await callInterrupted(death, 'file_write', { path, content: 'mine' });
      await write('mine', requestId);
      expect(await content()).toBe('mine');
      await write('newer');
      await write('mine', requestId);
      expect(await content()).toBe('newer');
    });

    it('a retried file_write keeps text written in the meantime', async () => {
      await write('first');
      const requestId = await callInterrupted(death, 'file_write', { path, content: 'mine' });
      await write('newer');
      await write('mine', requestId);
      expect(await content()).toBe('newer');
    });

    it('a retried file_write does not bring back a file deleted in the meantime', async () => {
      await write('first');
      const requestId = await callInterrupted(death, 'file_write', { path, content: 'mine' });
      await call('file_delete', { path });
      await write('mine', requestId);
      expect(await content()).toBeUndefined();
    });

    it('a retried file_delete deletes the file and reports it as deleted', async () => {
      await write('first');
      const requestId = await callInterrupted(death, 'file_delete', { path });
      expect(await call('file_delete', { path }, requestId)).toMatchObject({ deleted: true });
      expect(await content()).toBeUndefined();
    });

    it('a retried file_delete keeps a file written in the meantime', async () => {
      await write('first');
      const requestId = await callInterrupted(death, 'file_delete', { path });
      await write('newer');
      await call('file_delete', { path }, requestId);
      expect(await content()).toBe('newer');
    });

    it('a retried file_delete deletes nothing if there was nothing to delete at the first attempt', async () => {
      const requestId = await callInterrupted(death, 'file_delete', { path });
      await write('newer');
      expect(await call('file_delete', { path }, requestId)).toMatchObject({ deleted: false });
      expect(await content()).toBe('newer');
    });

    it('a retried memory_write takes effect only once', async () => {
      await call('memory_write', note('first'));
      const requestId = await callInterrupted(death, 'memory_write', note('mine'));
      await call('memory_write', note('mine'), requestId);
      expect(await nodeText()).toBe('mine');
      await call('memory_write', note('newer'));
      await call('memory_write', note('mine'), requestId);
      expect(await nodeText()).toBe('newer');
    });

    it('a retried memory_delete deletes the node that existed at the first attempt, but no newer one', async () => {
      await call('memory_write', note('first'));
      const requestId = await callInterrupted(death, 'memory_delete', { nodeId: 'tea' });
      const deleted = { deleted: true };
      expect(await call('memory_delete', { nodeId: 'tea' }, requestId)).toMatchObject(deleted);
      await call('memory_write', note('newer'));
      expect(await call('memory_delete', { nodeId: 'tea' }, requestId)).toMatchObject(deleted);
      const laterRequestId = await callInterrupted(death, 'memory_delete', { nodeId: 'tea' });
      await call('memory_write', note('newest'));
      await call('memory_delete', { nodeId: 'tea' }, laterRequestId);
      expect(await nodeText()).toBe('newest');
    });

    it('a retried memory_write keeps a node written in the meantime', async () => {
      await call('memory_write', note('first'));
      const requestId = await callInterrupted(death, 'memory_write', note('mine'));
      await call('memory_write', note('newer'));
      await call('memory_write', note('mine'), requestId);
      expect(await nodeText()).toBe('newer');
    });
  },
);

describe('an interrupted deletion of a folder', () => {
  const folder = 'home/letters';
  const put = (name: string) => homes.write(agent.userId, name, Buffer.from(name));

  it('after a crash in the middle of deleting a folder, a retried file_delete deletes the remaining files', async () => {
    await put(`${folder}/a.txt`);
    await put(`${folder}/b.txt`);
    const args = { path: folder, recursive: true };
    const requestId = await callInterrupted('in the middle', 'file_delete', args);
    expect(await call('file_delete', args, requestId)).toMatchObject({ deleted: true });
    expect(await homes.list(agent.userId, folder)).toBeUndefined();
  });

  it('a retried file_delete keeps a folder that was created again in the meantime', async () => {
    await put(`${folder}/a.txt`);
    const args = { path: folder, recursive: true };
    const requestId = await callInterrupted('before the result', 'file_delete', args);
    await put(`${folder}/newer.txt`);
    await call('file_delete', args, requestId);
    expect(await content(`${folder}/newer.txt`)).toBe(`${folder}/newer.txt`);
  });

  it('a retried file_delete finishes emptying home without deleting files written in the meantime', async () => {
    await put('home/a.txt');
    await put('home/b.txt');
    const args = { path: 'home', recursive: true };
    const requestId = await callInterrupted('in the middle', 'file_delete', args);
    await put('home/a.txt');
    await call('file_delete', args, requestId);
    const remaining = await homes.list(agent.userId, 'home');
    expect(remaining?.map(({ name }) => name)).toEqual(['a.txt']);
  });
});
