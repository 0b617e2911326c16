import { BSON } from 'mongodb';
import { splitFrames, type WireFrame, type WireProtocol } from './wire-protocol';

const headerLength = 16;
const flagsLength = 4;
const opMsg = 2013;
const bodySection = 0;

/** Commands of the driver's own that change and read nothing of the service's. */
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
    splitFrames((come) => {
      const bytes = takeMessage(come);
      return bytes && { bytes, ...stepOf(bytes), awaits: String(bytes.readInt32LE(4)) };
    }),
  splitServer: () =>
    splitFrames((come) => {
      const bytes = takeMessage(come);
      return bytes && { bytes, answers: String(bytes.readInt32LE(8)) };
    }),
};

function takeMessage(come: Buffer): Buffer | undefined {
  if (come.length < headerLength) return undefined;
  const length = come.readInt32LE(0);
  return come.length < length ? undefined : come.subarray(0, length);
}

function stepOf(message: Buffer): Pick<WireFrame, 'step'> {
  if (message.readInt32LE(12) !== opMsg) return {};
  const body = findBody(message);
  const [name, subject] = Object.entries(body)[0] ?? [''];
  if (name === '' || housekeeping.has(name)) return {};
  // A cursor is named by its number, and its collection in a field of its own.
  const collection: unknown = typeof subject === 'string' ? subject : body['collection'];
  return { step: typeof collection === 'string' ? `${name} ${collection}` : name };
}

/** Documents of a bulk may stand before the command itself. */
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
