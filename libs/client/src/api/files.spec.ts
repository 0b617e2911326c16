import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UploadFileRequest } from '@daycare/contracts/agent-runtime';
import { connectTo, readAll } from '../test-support/serve';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const file = { id: 'f1', name: 'words.txt', mimeType: 'text/plain', size: 5 };

async function connectToFiles() {
  const uploads: { header?: object; bytes: Buffer }[] = [];
  const answers = {
    async uploadFile(parts: AsyncIterable<UploadFileRequest>) {
      const upload: (typeof uploads)[number] = { bytes: Buffer.alloc(0) };
      for await (const { part } of parts) {
        if (part?.$case === 'header') upload.header = part.value;
        else if (part) upload.bytes = Buffer.concat([upload.bytes, part.value]);
      }
      uploads.push(upload);
      return { file, sha256: sha256Of(upload.bytes) };
    },
    async *downloadFile({ fileId }: { fileId: string }) {
      const sha256 = fileId === 'broken' ? 'another' : sha256Of(Buffer.from('hello'));
      yield { part: { $case: 'header', value: { file, sha256 } } };
      yield { part: { $case: 'chunk', value: Buffer.from('he') } };
      yield { part: { $case: 'chunk', value: Buffer.from('llo') } };
    },
    listFiles: ({ pageToken }: { pageToken: string }) => ({
      files: [{ file: { ...file, id: pageToken === '' ? 'f1' : 'f2' } }],
      nextPageToken: pageToken === '' ? 'second' : '',
    }),
    deleteFile: () => ({}),
  };
  const { files } = await connectTo({ agentRuntime: answers });
  return { files, uploads };
}

describe('daycare.files', () => {
  const large = Buffer.alloc((1 << 20) + 1, 7);
  it.each([
    ['a string', 'hello', 'text/plain', Buffer.from('hello')],
    ['bytes in several parts', new Uint8Array(large), 'application/octet-stream', large],
    ['a blob', new Blob(['hello'], { type: 'image/png' }), 'image/png', Buffer.from('hello')],
    ['an empty string', '', 'text/plain', Buffer.alloc(0)],
  ])('uploads %s with the right type and checksum', async (_, content, mimeType, bytes) => {
    const { files, uploads } = await connectToFiles();
    const stored = await files.upload(content, { name: 'a.bin' }, { requestId: 'r1' });
    const sha256 = sha256Of(bytes);
    expect(stored).toMatchObject({ id: 'f1', sha256 });
    expect(uploads[0]!.header).toEqual({ requestId: 'r1', name: 'a.bin', mimeType, sha256 });
    expect(uploads[0]!.bytes.equals(bytes)).toBe(true);
  });

  it('downloads a whole file, and throws when its checksum does not match', async () => {
    const { files } = await connectToFiles();
    const { bytes, name } = await files.download('f1');
    expect([Buffer.from(bytes).toString(), name]).toEqual(['hello', 'words.txt']);
    await expect(files.download('broken')).rejects.toThrow('The download is corrupted');
  });

  it('lists the files of all pages, and deletes a file', async () => {
    const { files } = await connectToFiles();
    expect((await readAll(files.list())).map((uploaded) => uploaded.file?.id)).toEqual([
      'f1',
      'f2',
    ]);
    await expect(files.delete('f1')).resolves.toBeUndefined();
  });
});
