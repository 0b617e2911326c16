import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import type {
  DownloadFileHeader,
  DownloadFileResponse,
  UploadFileRequest,
} from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { recordView } from '../../output/record';
import { readBytes } from '../../terminal/read-input';
import { defineCommand } from '../kit/command';

const chunkBytes = 256 * 1024;
const transferTimeoutMs = 120_000;

export const uploadCommand = defineCommand<{ name?: string; type?: string }>({
  name: 'upload',
  description: 'upload a file to attach to a message',
  args: [['<file>', 'file to upload, up to 32 MiB; - reads it from standard input']],
  options: [
    ['--name <name>', 'name to store it under (default: the name of the file)'],
    ['--type <mime>', 'expected MIME type, e.g. image/png; the detected type takes precedence'],
  ],
  examples: ['file upload photo.png', 'file upload - --name notes.txt < notes.txt'],
  async run({ session, args: [path = ''], options: { name, type: mimeType = '' } }) {
    const content = path === '-' ? await readBytes() : await readLocal(path);
    const { runtime, requestIds } = await session();
    const header = {
      requestId: requestIds.next(),
      name: name ?? (path === '-' ? 'stdin' : basename(path)),
      mimeType,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
    const timeoutMs = transferTimeoutMs;
    const { file, sha256 } = await runtime.uploadFile(partsOf(header, content), { timeoutMs });
    return recordView({ ...file, sha256 }, [
      ['id', file?.id ?? ''],
      ['name', file?.name ?? ''],
      ['type', file?.mimeType ?? ''],
      ['size', file?.size ?? 0],
    ]);
  },
});

async function* partsOf(
  header: { requestId: string; name: string; mimeType: string; sha256: string },
  content: Buffer,
): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'header', value: header } };
  for (let at = 0; at < content.length; at += chunkBytes) {
    yield { part: { $case: 'chunk', value: content.subarray(at, at + chunkBytes) } };
  }
}

async function readLocal(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new Failure(exitCodes.usage, `Cannot read ${path}: ${(error as Error).message}`);
  });
}

export const downloadCommand = defineCommand<{ to?: string }>({
  name: 'download',
  description: 'download a message attachment',
  args: [['<id>', 'file id from "daycare file upload" or "daycare agent history"']],
  options: [
    [
      '--to <file>',
      'file to write, or - for standard output (default: its own name, in this folder)',
    ],
  ],
  examples: ['file download clx3k2…', 'file download clx3k2… --to - | less'],
  hints: { NOT_FOUND: 'Run "daycare agent history" to see message attachments.' },
  async run({ session, args: [fileId = ''], options: { to } }) {
    const { runtime } = await session();
    const parts = runtime.downloadFile({ fileId }, { timeoutMs: transferTimeoutMs });
    const { header, path } = await writeParts(parts, to);
    if (to === '-') return undefined;
    return recordView({ ...header?.file, sha256: header?.sha256, path }, [
      ['wrote', path],
      ['size', header?.file?.size ?? 0],
    ]);
  },
});

/** Verifies the whole content before it writes anything. */
async function writeParts(
  parts: AsyncIterable<DownloadFileResponse>,
  to: string | undefined,
): Promise<{ header: DownloadFileHeader | undefined; path: string }> {
  let header: DownloadFileHeader | undefined;
  const chunks: Buffer[] = [];
  for await (const { part } of parts) {
    if (part?.$case === 'header') header = part.value;
    else if (part) chunks.push(part.value);
  }
  const content = Buffer.concat(chunks);
  checkHash(content, header);
  const path = resolve(to ?? basename(header?.file?.name ?? 'download'));
  if (to === '-') process.stdout.write(content);
  else await writeWhole(path, content, to !== undefined);
  return { header, path };
}

function checkHash(content: Buffer, header: DownloadFileHeader | undefined): void {
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (sha256 !== header?.sha256)
    throw new Failure(
      exitCodes.failure,
      'The download is corrupted: its checksum does not match. Try again.',
    );
}

/** Overwrites a file only when the user chose the path; never under a name chosen by the sender. */
async function writeWhole(path: string, content: Buffer, mayOverwrite: boolean): Promise<void> {
  const draft = mayOverwrite ? `${path}.${process.pid}` : path;
  try {
    const output = createWriteStream(draft, { flags: 'wx' });
    output.end(content);
    await finished(output);
    if (mayOverwrite) await rename(draft, path);
  } catch (error) {
    if (mayOverwrite) await rm(draft, { force: true });
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw exists
      ? new Failure(exitCodes.conflict, `${path} already exists.`, 'Choose another path with --to.')
      : new Failure(exitCodes.failure, `Cannot write ${path}: ${(error as Error).message}`);
  }
}
