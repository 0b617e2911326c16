import { BSON } from 'mongodb';
import { splitFrames, type WireFrame, type WireProtocol } from './wire-protocol';

const headerLength = 16;
const flagsLength = 4;
const opMsg = 2013;
const bodySection = 0;

/** Commands that the driver sends by itself. */
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
  const [name, subject] = Object.entries(body)[0] ?? [''];
  if (name === '' || housekeeping.has(name)) return {};
  // getMore names a cursor id; its collection is in another field.
  const collection: unknown = typeof subject === 'string' ? subject : body['collection'];
  return { step: typeof collection === 'string' ? `${name} ${collection}` : name };
}

/** The documents of a bulk may precede the command. */
function findBody(message: Buffer): BSON.Document {
  let position = headerLength + flagsLength;
  while (position < message.length) {
    const kind = message.readUInt8(position);
    const length = message.readInt32LE(position + 1);
    const section = message.subarray(position + 1, position + 1 + length);
    if (kind === bodySection) return BSON.deserialize(section);
    position += 1 + length;
  }
  return {};
}
