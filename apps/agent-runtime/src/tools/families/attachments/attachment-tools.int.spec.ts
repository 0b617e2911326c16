import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { ensureIndexes } from '@daycare/mongo';
import type { Agent } from '../../../agents/domain/agent';
import { buildFiles, type Files } from '../../../files/build';
import { fileIndexes } from '../../../files/store/file-store';
import type { UserHomes } from '../../../homes/usecases/user-homes';
import { makeSearchFiles } from '../../../homes/usecases/search-files';
import { TestHomes } from '../../../test-support/homes/test-homes';
import { testAgent, testContext } from '../../../test-support/test-agent';
import { testRegistry } from '../../../test-support/test-tool';
import type { ToolRegistry } from '../../registry/tool-registry';
import { attachmentTools } from './attachment-tools';
import { fileTools } from '../file-tools';

let test: TestHomes;
let homes: UserHomes;
let files: Files;
let tools: ToolRegistry;
let agent: Agent;

beforeAll(async () => {
  test = await TestHomes.open();
  await ensureIndexes(test.mongo.db, fileIndexes);
  homes = await test.replica();
  const grant = { bytes: 1_048_576, entries: 1, settle: async () => undefined };
  files = buildFiles({
    db: test.mongo.db,
    quota: { take: async () => grant, recount: async () => undefined },
    converterProgram: 'none',
    log: { warn: () => undefined },
    now: () => test.now,
  });
  const ledger = test.ledger();
  const deps = { files: { homes, searchFiles: makeSearchFiles({ homes }) }, ledger };
  tools = testRegistry([...attachmentTools({ ...deps, attachments: files }), ...fileTools(deps)], {
    requestApproval: async () => ({ kind: 'granted' }),
    ledger,
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  agent = testAgent({ userId: (await test.newUser(homes)).userId });
});

interface Turn {
  readonly trust?: Trust;
  readonly requestId?: string;
  readonly attachedFiles?: number;
}

async function call(name: string, args: object, turn: Turn = {}) {
  const rules = { [name]: { guest: 'run', outside: 'run' } } as const;
  const who = { ...agent, toolPolicy: { rules } };
  const context = testContext(who, { requestId: createId(), turn: 7, ...turn });
  const outcome = await tools.call(name, JSON.stringify(args), context);
  return { ...outcome, result: JSON.parse(outcome.resultJson) };
}

async function upload(content: string | Buffer, userId = agent.userId): Promise<string> {
  async function* parts() {
    yield { header: { requestId: createId(), name: 'a.txt', mimeType: '', sha256: '' } };
    yield { chunk: Buffer.from(content) };
  }
  return (await files.uploadFile({ userId, parts: parts() })).file.id;
}
const readHome = async (path: string): Promise<string | undefined> =>
  (await homes.read(agent.userId, path, 1_048_576))?.toString('utf8');

describe('attachment_read', () => {
  it('attachment_read returns long text in parts, none of which is truncated', async () => {
    const text = '"quotes" and 漢字\n'.repeat(4_000);
    const fileId = await upload(text);
    let joined = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { result, truncated } = await call('attachment_read', { fileId, offset });
      expect(truncated).toBe(false);
      joined += String(result.content);
      offset = result.nextOffset;
    }
    expect(joined).toBe(text);
  });

  it('a part full of control characters is not truncated, although JSON makes it six times as long', async () => {
    const text = '\u001b'.repeat(9_000);
    const fileId = await upload(text);
    const { result, truncated } = await call('attachment_read', { fileId });
    expect(truncated).toBe(false);
    expect(result.nextOffset).toBeGreaterThan(0);
  });

  it.each(['person', 'own', 'guest', 'outside'] as const)(
    'a turn with trust %s may read an attachment, and has then read something private',
    async (trust) => {
      const fileId = await upload('words');
      const turn = testContext(agent, { requestId: createId(), trust });
      const outcome = await tools.call('attachment_read', JSON.stringify({ fileId }), turn);
      expect(outcome).toMatchObject({ isPrivate: true });
      expect(outcome).not.toHaveProperty('provenance');
    },
  );

  it('attachment_read and attachment_save do not find another user’s file', async () => {
    const fileId = await upload('secret', 'someoneelse');
    for (const [name, args] of [
      ['attachment_read', { fileId }],
      ['attachment_save', { fileId, path: 'home/a.txt' }],
    ] as const)
      await expect(call(name, args)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'Attachment not found',
      });
  });
});

describe('attachment_save', () => {
  it('attachment_save copies an attachment into the home, byte for byte', async () => {
    const fileId = await upload(Buffer.from([0, 1, 2, 255]));
    await call('attachment_save', { fileId, path: 'home/in/a.bin' });
    const saved = await homes.read(agent.userId, 'home/in/a.bin', 100);
    expect(saved).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  it('a retried attachment_save does not overwrite text written since the first call', async () => {
    const fileId = await upload('old');
    const requestId = createId();
    await call('attachment_save', { fileId, path: 'home/a.txt' }, { requestId });
    await call('file_write', { path: 'home/a.txt', content: 'newer' });
    await call('attachment_save', { fileId, path: 'home/a.txt' }, { requestId });
    expect(await readHome('home/a.txt')).toBe('newer');
  });
});

describe('attach_file', () => {
  beforeEach(() => call('file_write', { path: 'home/report.md', content: '# Report' }));

  it('attach_file attaches a file from the home to the answer, under its own name or another', async () => {
    const { files: attached, result } = await call('attach_file', { path: 'home/report.md' });
    expect(attached).toEqual([
      { id: result.fileId, name: 'report.md', mimeType: 'text/plain', size: 8 },
    ]);
    const { content } = await files.readFile(agent.userId, result.fileId);
    expect(content.toString()).toBe('# Report');
    const named = await call('attach_file', { path: 'home/report.md', name: 'x.md' });
    expect(named.files).toMatchObject([{ name: 'x.md' }]);
  });

  it('a retried attach_file attaches the file as it was at the first call, even if it has changed since', async () => {
    const requestId = createId();
    const first = await call('attach_file', { path: 'home/report.md' }, { requestId });
    await call('file_write', { path: 'home/report.md', content: 'other' });
    // As if the process had been killed before the result was recorded.
    await test.mongo.db.collection('tool_calls').deleteMany({ userId: agent.userId });
    const again = await call('attach_file', { path: 'home/report.md' }, { requestId });
    expect(again.files).toEqual(first.files);
    expect(
      (await files.listFiles({ userId: agent.userId, pageSize: 0, pageToken: '' })).files,
    ).toHaveLength(1);
  });

  it.each([
    [{ path: 'home/missing.txt' }, 'NOT_FOUND'],
    [{ path: 'home' }, 'NOT_FOUND'],
    [{ path: '../etc/passwd' }, 'INVALID_ARGUMENT'],
    [{ path: 'memory/graph/a.md' }, 'INVALID_ARGUMENT'],
    [{ path: 'home/report.md', name: '../x' }, 'INVALID_ARGUMENT'],
  ])('attach_file refuses %j', async (args, code) => {
    await expect(call('attach_file', args)).rejects.toMatchObject({ code });
  });

  it('attach_file refuses to attach more than 16 files to an answer', async () => {
    await expect(
      call('attach_file', { path: 'home/report.md' }, { attachedFiles: 16 }),
    ).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});

describe('files from guests', () => {
  it('text that a guest wrote keeps a guest’s trust when it is attached, read and saved again', async () => {
    await call(
      'file_write',
      { path: 'home/theirs.txt', content: 'their words' },
      { trust: 'guest' },
    );
    const attached = await call('attach_file', { path: 'home/theirs.txt' });
    const { fileId } = attached.result;
    expect((await call('attachment_read', { fileId })).provenance).toBe('guest');
    await call('attachment_save', { fileId, path: 'home/copy.txt' });
    expect((await call('file_read', { path: 'home/copy.txt' })).provenance).toBe('guest');
  });

  it('a file that a guest’s turn attaches has a guest’s trust, whoever wrote it', async () => {
    await call('file_write', { path: 'home/own.txt', content: 'my words' });
    const { result } = await call('attach_file', { path: 'home/own.txt' }, { trust: 'guest' });
    expect((await call('attachment_read', { fileId: result.fileId })).provenance).toBe('guest');
  });
});

it('if users have no directories, attachment_read is the only tool for attachments', () => {
  const available = attachmentTools({
    attachments: files,
    files: undefined,
    ledger: test.ledger(),
  });
  expect(available.map(({ name }) => name)).toEqual(['attachment_read']);
});
