import { BinaryReader as WireReader } from '@bufbuild/protobuf/wire';

export { BinaryWriter } from '@bufbuild/protobuf/wire';

/**
 * Reads messages. In Node, strings are decoded by Buffer, because the library's own reader creates an array of numbers
 * for each short string, and these arrays are most of the garbage produced by reading a long list.
 */
export class BinaryReader extends WireReader {
  readonly #bytes: Buffer | undefined;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = toBuffer(bytes);
  }

  override string(strict?: boolean): string {
    if (!this.#bytes || strict) return super.string(strict);
    const end = this.uint32() + this.pos;
    if (end > this.len) throw new RangeError('premature EOF');
    const text = this.#bytes.toString('utf8', this.pos, end);
    this.pos = end;
    return text;
  }
}

/**
 * Returns a Buffer over the same memory, or undefined in browsers. Naming `Buffer` directly instead of reading it from
 * `globalThis` would put a polyfill into browser bundles.
 */
function toBuffer(bytes: Uint8Array): Buffer | undefined {
  const { Buffer: NodeBuffer } = globalThis as { Buffer?: BufferConstructor };
  if (NodeBuffer === undefined) return undefined;
  return bytes instanceof NodeBuffer
    ? bytes
    : NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
