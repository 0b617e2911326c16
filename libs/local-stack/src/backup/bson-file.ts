import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { refusal, type BackupPart } from './manifest';

/** Larger than MongoDB's largest document. */
const maxDocumentBytes = 32 << 20;

/**
 * Writes encoded BSON documents one after another into a compressed file of a backup. Waits for the disk, so that
 * memory stays bounded even for large files.
 */
export async function writeBson(
  folder: string,
  file: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<BackupPart> {
  await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const gzip = createGzip({ level: 5 });
  const target = createWriteStream(join(folder, file), { mode: 0o600, flags: 'wx', flush: true });
  let [entries, bytes] = [0, 0];
  gzip.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  const written = finished(gzip.pipe(target));
  written.catch(() => undefined);
  for await (const document of documents) {
    entries += 1;
    if (!gzip.write(document)) await Promise.race([once(gzip, 'drain'), written]);
  }
  gzip.end();
  await written;
  return { file, bytes, sha256: hash.digest('hex'), entries };
}

/** Yields the encoded documents in a file that `writeBson` has written, one at a time. */
export async function* readBson(folder: string, file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(join(folder, file)).pipe(createGunzip());
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let offset = 0;
    for (
      let size = sizeAt(rest, offset);
      size <= rest.length - offset;
      size = sizeAt(rest, offset)
    ) {
      yield rest.subarray(offset, offset + size);
      offset += size;
    }
    rest = rest.subarray(offset);
  }
  if (rest.length > 0) throw refusal(`${join(folder, file)} ends in the middle of a document`);
}

/**
 * Returns the size of the document that begins at an offset; Infinity if too few bytes have arrived to read the size.
 * Throws if it cannot be the size of a document.
 */
function sizeAt(bytes: Buffer, offset: number): number {
  if (bytes.length - offset < 4) return Infinity;
  const size = bytes.readInt32LE(offset);
  if (size < 5 || size > maxDocumentBytes)
    throw refusal('The backup contains something other than BSON documents');
  return size;
}
