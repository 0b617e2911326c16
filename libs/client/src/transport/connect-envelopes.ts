const headerBytes = 5;
const endFlag = 0b10;

/** One unit of a Connect stream: a message or, in the last one, the outcome. */
export interface Envelope {
  readonly isEnd: boolean;
  readonly bytes: Uint8Array;
}

/** Wraps the request that opens a stream. */
export function wrapEnvelope(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const wrapped = new Uint8Array(headerBytes + bytes.length);
  new DataView(wrapped.buffer).setUint32(1, bytes.length);
  wrapped.set(bytes, headerBytes);
  return wrapped;
}

/** Splits a body, which arrives in arbitrary pieces, into its envelopes. */
export async function* readEnvelopes(body: AsyncIterable<Uint8Array>): AsyncGenerator<Envelope> {
  let unread: Uint8Array = new Uint8Array(0);
  for await (const chunk of body) {
    unread = concat(unread, chunk);
    for (let length = lengthOf(unread); unread.length >= length; length = lengthOf(unread)) {
      yield {
        isEnd: ((unread[0] ?? 0) & endFlag) !== 0,
        bytes: unread.subarray(headerBytes, length),
      };
      unread = unread.subarray(length);
    }
  }
}

/** Returns the length of the first envelope including its header; Infinity while that is unknown. */
function lengthOf(bytes: Uint8Array): number {
  if (bytes.length < headerBytes) return Infinity;
  const { buffer, byteOffset } = bytes;
  return headerBytes + new DataView(buffer, byteOffset).getUint32(1);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
