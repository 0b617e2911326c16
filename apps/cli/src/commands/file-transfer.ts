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
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { recordView } from '../output/record';
import { readBytes } from '../terminal/read-input';
import { defineCommand } from './command';

const chunkBytes = 256 * 1024;
const transferTimeoutMs = 120_000;

export const uploadCommand = defineCommand<{ name?: string; type?: string }>({
  name: 'upload',
  description: 'store a file that is to go with a message',
  args: [['<file>', 'up to 32 MiB; - reads it from the standard input']],
  options: [
    ['--name <name>', 'what it is called (default: the name of the file)'],
    ['--type <mime>', 'what you believe it is, e.g. image/png; its content decides'],
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
    throw new Failure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  });
}

export const downloadCommand = defineCommand<{ to?: string }>({
  name: 'download',
  description: 'fetch a file of a message',
  args: [['<id>', 'as the upload or the history shows it']],
  options: [['--to <file>', 'where to write it, - to print it (default: its own name, here)']],
  examples: ['file download clx3k2…', 'file download clx3k2… --to - | less'],
  hints: { NOT_FOUND: 'See "daycare agent history" for the files of messages.' },
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

/** The file appears whole or not at all. */
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
  if (sha256 !== header?.sha256) throw new Failure(exitCodes.failure, 'The file arrived damaged.');
}

/** A name that the sender chose never replaces a file that is there. */
async function writeWhole(path: string, content: Buffer, mayReplace: boolean): Promise<void> {
  const draft = mayReplace ? `${path}.${process.pid}` : path;
  try {
    const output = createWriteStream(draft, { flags: 'wx' });
    output.end(content);
    await finished(output);
    if (mayReplace) await rename(draft, path);
  } catch (error) {
    if (mayReplace) await rm(draft, { force: true });
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isThere
      ? new Failure(exitCodes.conflict, `${path} is there already.`, 'Name another with --to.')
      : new Failure(exitCodes.failure, `${path} cannot be written: ${(error as Error).message}`);
  }
}
