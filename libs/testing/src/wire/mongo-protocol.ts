import { BSON } from 'mongodb';
import { splitFrames, type WireFrame, type WireProtocol } from './wire-protocol';

const headerLength = 16;
const flagsLength = 4;
const opMsg = 2013;
const bodySection = 0;

/** Commands that are not steps: those that the driver sends on its own, and those that prepare collections. */
const housekeeping = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'buildInfo',
  'saslStart',
  'saslContinue',
  'endSessions',
  'killCursors',
  'createIndexes',
  'listIndexes',
  'listCollections',
]);

/** The MongoDB wire protocol without compression and encryption. */
export const mongoProtocol: WireProtocol = {
  splitClient: () =>
    splitFrames((received) => {
      const bytes = takeMessage(received);
      return bytes && { bytes, ...stepOf(bytes), awaits: String(bytes.readInt32LE(4)) };
    }),
  splitServer: () =>
    splitFrames((received) => {
      const bytes = takeMessage(received);
      return bytes && { bytes, answers: String(bytes.readInt32LE(8)) };
    }),
};

function takeMessage(received: Buffer): Buffer | undefined {
  if (received.length < headerLength) return undefined;
  const length = received.readInt32LE(0);
  return received.length < length ? undefined : received.subarray(0, length);
}

function stepOf(message: Buffer): Pick<WireFrame, 'step'> {
  if (message.readInt32LE(12) !== opMsg) return {};
  const body = findBody(message);
  const { name, collection } = firstElementOf(body);
  if (name === '' || housekeeping.has(name)) return {};
  // The first element of getMore is a cursor id; the collection is in another field.
  const target: unknown = name === 'getMore' ? BSON.deserialize(body)['collection'] : collection;
  return { step: typeof target === 'string' ? `${name} ${target}` : name };
}

const int32Length = 4;
const stringType = 2;

/** Reads a command's name and, for most commands, its collection. Decoding whole commands would take much longer. */
function firstElementOf(body: Buffer): { readonly name: string; readonly collection?: string } {
  const nameStart = int32Length + 1;
  if (body.length <= nameStart) return { name: '' };
  const nameEnd = body.indexOf(0, nameStart);
  const name = body.toString('utf8', nameStart, nameEnd);
  if (body.readUInt8(int32Length) !== stringType) return { name };
  const start = nameEnd + 1 + int32Length;
  const length = body.readInt32LE(nameEnd + 1);
  return { name, collection: body.toString('utf8', start, start + length - 1) };
}

/** Finds the section of a message that contains the command; the documents of a bulk write may precede it. */
function findBody(message: Buffer): Buffer {
  let position = headerLength + flagsLength;
  while (position < message.length) {
    const kind = message.readUInt8(position);
    const length = message.readInt32LE(position + 1);
    if (kind === bodySection) return message.subarray(position + 1, position + 1 + length);
    position += 1 + length;
  }
  return Buffer.alloc(0);
}
