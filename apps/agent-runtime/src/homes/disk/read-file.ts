import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@daycare/api';
import type { Pin } from './pin';

/**
 * Reads a plain file (see `Pin.isPlainFile`) completely; returns undefined for anything else, and if reading is not
 * permitted. Throws FAILED_PRECONDITION if the file is longer than `maxBytes`, even if it grows beyond that only while
 * it is being read.
 */
export async function readFile(file: Pin, maxBytes: number): Promise<Buffer | undefined> {
  if (!file.isPlainFile) return undefined;
  if (file.stats.size > maxBytes) throw tooLong(maxBytes);
  const handle = await file.openToRead();
  try {
    return handle && (await readUpTo(handle, maxBytes, file.stats.size));
  } finally {
    await handle?.close();
  }
}

/** Reads at most one byte more than `size`; if that exceeds `maxBytes`, the file has grown too long. */
async function readUpTo(handle: FileHandle, maxBytes: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < buffer.length; length += read)
    read = (await handle.read(buffer, length, buffer.length - length)).bytesRead;
  if (length > maxBytes) throw tooLong(maxBytes);
  return buffer.subarray(0, length);
}

function tooLong(maxBytes: number): AppError {
  return new AppError('FAILED_PRECONDITION', `The file is longer than ${maxBytes} bytes`);
}
