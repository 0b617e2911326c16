import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BSON, Binary, Decimal128, Double, Long, ObjectId, Timestamp } from 'mongodb';
import { DocumentReader } from './document-reader';

const read = (document: object): unknown => new DocumentReader().read(BSON.serialize(document));
const readByDriver = (document: object): unknown => BSON.deserialize(BSON.serialize(document));

/** Few keys, so that documents share some of them and differ in others. */
const key = fc.constantFrom('_id', 'a', 'ab', 'b', 'ü', 'x.y', '', 'long key with spaces', '日本');
const text = fc.string({ unit: 'grapheme' });
const date = fc.date({ noInvalidDate: true });
const scalar = fc.oneof(
  text,
  date,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.maxSafeInteger(),
);
const { document } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('document')),
  list: fc.array(tie('value'), { maxLength: 12 }),
  document: fc.dictionary(key, tie('value'), { maxKeys: 8 }),
}));

describe('DocumentReader', () => {
  it('reads any sequence of documents as the driver does', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 6 }), (documents) => {
        const reader = new DocumentReader();
        for (const original of documents as object[]) {
          expect(reader.read(BSON.serialize(original))).toEqual(readByDriver(original));
        }
      }),
    );
  });

  it.each([
    ['an object id', new ObjectId()],
    ['a timestamp', new Timestamp({ t: 7, i: 3 })],
    ['a long that is not a safe integer', Long.fromString('9223372036854775807')],
    ['a long', Long.fromNumber(2 ** 40)],
    ['a decimal', Decimal128.fromString('1.5')],
    ['bytes', new Binary(Buffer.from('abc'))],
    ['a double without a fraction', new Double(3)],
    ['a regular expression', /a+/i],
    ['a DBRef', { $ref: 'users', $id: 'u1' }],
    ['keys that look like operators', { $set: { a: 1 } }],
  ])('reads %s as the driver does, at any depth', (_what, value) => {
    for (const original of [{ value }, { a: { list: [1, { value }] }, b: 'after' }])
      expect(read(original)).toEqual(readByDriver(original));
  });

  it('does not let a key change the prototype of the result', () => {
    const stored = Object.defineProperty({ a: 1 }, '__proto__', {
      value: { isAdmin: true },
      enumerable: true,
    });
    const result = read(stored) as { isAdmin?: boolean };
    expect(result.isAdmin).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(result).toEqual(readByDriver(stored));
  });

  it('reads documents whose keys differ every time', () => {
    const reader = new DocumentReader();
    for (let n = 0; n < 3_000; n += 1) {
      const original = { [`id${n}`]: n, [`other${n % 20}`]: { [`nested${n}`]: 'x' }, last: [n] };
      expect(reader.read(BSON.serialize(original))).toEqual(original);
    }
  });

  it('reads a document that lies in the middle of a larger buffer', () => {
    const bytes = BSON.serialize({ name: 'Zoë', list: ['a', { b: 1 }] });
    const around = Buffer.concat([Buffer.alloc(7, 1), bytes, Buffer.alloc(9, 2)]);
    const inside = new Uint8Array(around.buffer, around.byteOffset + 7, bytes.length);
    expect(new DocumentReader().read(inside)).toEqual({ name: 'Zoë', list: ['a', { b: 1 }] });
  });
});
