/** Returns the text of an argument; for `-`, reads all of standard input. */
export async function readText(
  argument: string,
  input: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<string> {
  return argument === '-' ? (await readBytes(input)).toString('utf8') : argument;
}

/** Reads all of standard input. */
export async function readBytes(
  input: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}
