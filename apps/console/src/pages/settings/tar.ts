const blockBytes = 512;
const encoder = new TextEncoder();

/** Returns one file of a tar archive: its header, its content, and zeros up to the next block. */
export function tarEntry(
  name: string,
  content: readonly Uint8Array[],
  changedAt: Date,
): Uint8Array[] {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  const padding = new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);
  return [headerOf(name, size, changedAt), ...content, padding];
}

/** Returns the blocks that end an archive. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * blockBytes);
}

/** Builds a ustar header, whose fields have fixed positions. The name must be at most 100 bytes long. */
function headerOf(name: string, size: number, changedAt: Date): Uint8Array {
  const header = new Uint8Array(blockBytes);
  const put = (text: string, at: number): void => header.set(encoder.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put(`${octal(0o600, 7)}\0`, 100);
  put(`${octal(0, 7)}\0`, 108);
  put(`${octal(0, 7)}\0`, 116);
  put(`${octal(size, 11)}\0`, 124);
  put(`${octal(Math.floor(changedAt.getTime() / 1_000), 11)}\0`, 136);
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return header;
}
