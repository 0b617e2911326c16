import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { safeName } from '../../client/files/save-files';
import { readLocalFile, uploadFile } from '../../client/files/transfer';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { recordView } from '../../output/record';
import { readBytes } from '../../terminal/read-input';
import { defineCommand } from '../kit/command';

export const uploadCommand = defineCommand<{ name?: string; type?: string }>({
  name: 'upload',
  description: 'upload a file to attach to a message',
  args: [['<file>', 'file to upload, up to 32 MiB; - reads it from standard input']],
  options: [
    ['--name <name>', "name to store it under (default: the file's name)"],
    ['--type <mime>', 'expected MIME type, e.g. image/png; the detected type takes precedence'],
  ],
  examples: ['file upload photo.png', 'file upload - --name notes.txt < notes.txt'],
  async run({ session, args: [path = ''], options: { name, type: mimeType = '' } }) {
    const content = path === '-' ? await readBytes() : await readLocalFile(path);
    const local = { name: name ?? (path === '-' ? 'stdin' : basename(path)), mimeType, content };
    const file = await uploadFile(await session(), local);
    return recordView(file, [
      ['id', file.id],
      ['name', file.name],
      ['type', file.mimeType],
      ['size', file.size],
    ]);
  },
});

export const downloadCommand = defineCommand<{ to?: string }>({
  name: 'download',
  description: 'download a message attachment',
  args: [['<id>', 'file id from "daycare file upload" or "daycare agent history"']],
  options: [
    [
      '--to <file>',
      "file to write, or - for standard output (default: the attachment's name, in the current folder)",
    ],
  ],
  examples: ['file download clx3k2…', 'file download clx3k2… --to - | less'],
  hints: { NOT_FOUND: 'Run "daycare agent history" to see message attachments.' },
  async run({ session, args: [fileId = ''], options: { to } }) {
    const { daycare } = await session();
    const { bytes: content, ...file } = await daycare.files.download(fileId);
    const path = resolve(to ?? safeName(file.name));
    if (to === '-') process.stdout.write(content);
    else await writeWhole(path, content, to !== undefined);
    if (to === '-') return undefined;
    return recordView({ ...file, path }, [
      ['wrote', path],
      ['size', file.size],
    ]);
  },
});

/** Overwrites an existing file only at a path that the user chose, never under a name chosen by the sender. */
async function writeWhole(path: string, content: Uint8Array, mayOverwrite: boolean): Promise<void> {
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
