import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '@daycare/client';
import { download, exportFiles, upload } from '../support/people/files';
import { historyOf, post, summaryOf, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { people, runtime, otherRuntime } = stack;

const mebibyte = 1_048_576;
const firstPage = { pageSize: 0, pageToken: '' };
const withFiles = (fileIds: string[], text = 'see here') => ({ ...post(text), fileIds });

describe('files', () => {
  it('files attached to a message appear in the history and can be downloaded byte for byte', async () => {
    const ada = await people.newPerson();
    const content = randomBytes(3 * mebibyte + 17);
    const note = Buffer.from('plain words');
    const sha256 = createHash('sha256').update(content).digest('hex');
    const large = await upload(runtime, ada, 'data.bin', content, { sha256 });
    const small = await upload(otherRuntime, ada, 'note.txt', note, { mimeType: 'image/png' });
    expect(large).toMatchObject({ file: { name: 'data.bin', size: content.length }, sha256 });
    expect(small.file).toMatchObject({ name: 'note.txt', mimeType: 'text/plain' });
    const fileIds = [small.file!.id, large.file!.id];
    const { agentId } = await otherRuntime.postMessage(withFiles(fileIds, ''), ada.as);
    const records = await whenRecorded(runtime, ada, agentId, 3);
    expect(records[1]!.record).toMatchObject({
      value: { text: '', files: [small.file, large.file] },
    });
    const { header, content: downloaded } = await download(otherRuntime, ada, large.file!.id);
    expect(header).toEqual({ file: large.file, sha256 });
    expect(downloaded.equals(content)).toBe(true);
    expect((await download(runtime, ada, small.file!.id)).content).toEqual(note);
  });

  it('retrying an upload returns the same file, and a retry with other content is refused', async () => {
    const ada = await people.newPerson();
    const requestId = createId();
    const content = Buffer.from('the same');
    const first = await upload(runtime, ada, 'a.txt', content, { requestId });
    expect(await upload(otherRuntime, ada, 'a.txt', content, { requestId })).toEqual(first);
    await expect(
      upload(otherRuntime, ada, 'a.txt', Buffer.from('other'), { requestId }),
    ).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
    const wrongHash = { sha256: '0'.repeat(64) };
    await expect(upload(otherRuntime, ada, 'a.txt', content, wrongHash)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'sha256' }] },
    });
  });

  it('a file may be at most 32 MiB, and a message may have at most 16 files', async () => {
    const ada = await people.newPerson();
    const maximum = Buffer.alloc(32 * mebibyte, 1);
    const largest = await upload(runtime, ada, 'large.bin', maximum);
    expect(largest.file!.size).toBe(maximum.length);
    const before = await countStoredFiles(ada);
    await expect(
      upload(runtime, ada, 'huge.bin', Buffer.concat([maximum, Buffer.from('!')])),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'chunk' }] },
    });
    expect(await countStoredFiles(ada)).toEqual(before);
    const files = await Promise.all(
      Array.from({ length: 17 }, (_, index) =>
        upload(runtime, ada, `${index}.txt`, Buffer.from(`${index}`)),
      ),
    );
    const ids = files.map(({ file }) => file!.id);
    await expect(runtime.postMessage(withFiles(ids), ada.as)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'file_ids' }] },
    });
    const { agentId } = await runtime.postMessage(withFiles(ids.slice(1)), ada.as);
    const records = await whenRecorded(runtime, ada, agentId, 3);
    expect(records[1]!.record).toMatchObject({
      value: { files: files.slice(1).map(({ file }) => file) },
    });
  });

  it('calls for another user’s file get the same NOT_FOUND, byte for byte, as calls for an unknown file', async () => {
    const [ada, eve] = await people.newPair();
    const { file } = await upload(runtime, ada, 'secret.txt', Buffer.from('secret'));
    const attempts = [
      (id: string) => runtime.downloadFile({ fileId: id }, eve.as),
      (id: string) => runtime.postMessage(withFiles([id]), eve.as),
      (fileId: string) => runtime.deleteFile({ requestId: createId(), fileId }, eve.as),
    ];
    for (const attempt of attempts) {
      const unknown = await wireAnswer(attempt(createId()));
      expect(unknown).toMatchObject({ code: 5, details: 'File not found' });
      expect(await wireAnswer(attempt(file!.id))).toEqual(unknown);
    }
    expect(
      await stack.db('agent-runtime').collection('agents').countDocuments({ userId: eve.id }),
    ).toBe(0);
    expect((await runtime.listFiles(firstPage, eve.as)).files).toEqual([]);
  });

  it('a person can list and delete uploads on any replica, and messages still refer to a deleted file', async () => {
    const ada = await people.newPerson();
    const { file } = await upload(runtime, ada, 'note.txt', Buffer.from('plain words'));
    const { agentId } = await runtime.postMessage(withFiles([file!.id]), ada.as);
    await whenRecorded(runtime, ada, agentId, 3);
    expect((await otherRuntime.listFiles(firstPage, ada.as)).files).toMatchObject([{ file }]);
    const deletion = { requestId: createId(), fileId: file!.id };
    await otherRuntime.deleteFile(deletion, ada.as);
    await runtime.deleteFile(deletion, ada.as);
    expect((await runtime.listFiles(firstPage, ada.as)).files).toEqual([]);
    const notFound = { code: 'NOT_FOUND' };
    await expect(download(runtime, ada, file!.id)).rejects.toMatchObject(notFound);
    await expect(runtime.postMessage(withFiles([file!.id]), ada.as)).rejects.toMatchObject(
      notFound,
    );
    await runtime.postMessage(post('and now?'), ada.as);
    const records = await whenRecorded(runtime, ada, agentId, 5);
    expect(records[1]!.record).toMatchObject({ value: { files: [file] } });
  });

  async function countStoredFiles({ id: userId }: Person): Promise<object> {
    const names = (
      await stack.db('agent-runtime').listCollections({}, { nameOnly: true }).toArray()
    )
      .map(({ name }) => name)
      .filter((name) => name.includes('file'));
    const counts = await Promise.all(
      names.map(async (name) => [
        name,
        await stack
          .db('agent-runtime')
          .collection(name)
          .countDocuments(name.endsWith('.chunks') ? {} : { userId }),
      ]),
    );
    return Object.fromEntries(counts) as object;
  }
});

describe('exporting an agent', () => {
  it('an export contains the descriptor, the state and every record', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('first'), ada.as);
    await whenRecorded(runtime, ada, agentId, 3);
    await runtime.resetAgent({ requestId: createId(), agentId, message: 'again' }, ada.as);
    await runtime.postMessage(post('second'), ada.as);
    const records = await whenRecorded(runtime, ada, agentId, 6);
    const files = await exportFiles(otherRuntime, ada, agentId);
    expect(Object.keys(files)).toEqual(['descriptor.json', 'state.json', 'history.jsonl']);
    expect(JSON.parse(files['descriptor.json']!)).toEqual({
      type: 'user',
      connector: 'cli',
      connectorUserId: 'me',
      channelId: 'desk',
    });
    expect(JSON.parse(files['state.json']!)).toMatchObject({
      agentId,
      userId: ada.id,
      provider: 'local',
      permissions: [],
      lastSequence: 6,
    });
    const lines = linesOf(files['history.jsonl']!);
    expect(lines.map(({ type, sequence, at }) => [type, sequence, at])).toEqual([
      ...['start', 'user_message', 'assistant_message', 'reset', 'user_message'].map(withTime),
      withTime('assistant_message', 5),
    ]);
    expect(lines[4]).toMatchObject({ text: 'second', origin: '', silent: false, files: [] });

    function withTime(type: string, index: number): unknown[] {
      return [type, index + 1, records[index]!.recordedAt!.toISOString()];
    }
  });

  it('a history of long messages can be read and exported', async () => {
    const ada = await people.newPerson();
    const text = '🦊'.repeat(32_768);
    let agentId = '';
    for (let round = 0; round < 20; round += 1) {
      const posted = await runtime.postMessage(post(text), ada.as);
      ({ agentId } = posted);
      await whenAnswered(ada, posted);
    }
    const records = await historyOf(runtime, ada, agentId);
    const messages = records.filter((record) => summaryOf(record) === `person: ${text}`);
    expect(messages).toHaveLength(20);
    const files = await exportFiles(otherRuntime, ada, agentId);
    expect(linesOf(files['history.jsonl']!)).toHaveLength(records.length);
  });

  /** Waits until the message has been answered. Otherwise the next message could be handled in the same turn. */
  async function whenAnswered(
    person: Person,
    posted: Parameters<Agent['answerTo']>[0],
  ): Promise<void> {
    await stack.people.clientOf(person).agent().answerTo(posted, { waitMs: 20_000 });
  }

  function linesOf(text: string): Record<string, unknown>[] {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
});
