import { describe, expect, it } from '@jest/globals';
import { BinaryReader as WireReader } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { BinaryReader, BinaryWriter } from './binary-reader';

const write = (texts: readonly string[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const text of texts) writer.string(text);
  return writer.finish();
};

describe('BinaryReader', () => {
  it('reads any series of strings exactly as the protobuf library does', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(text, fc.constant('\ufeffmarked'))), (texts) => {
        const bytes = write(texts);
        const [reader, expected] = [new BinaryReader(bytes), new WireReader(bytes)];
        for (const _ of texts) expect(reader.string()).toBe(expected.string());
        expect(reader.pos).toBe(bytes.length);
      }),
    );
  });

  it('treats bytes that are not valid UTF-8 exactly as the protobuf library does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (garbage) => {
        const bytes = new BinaryWriter().bytes(garbage).finish();
        expect(new BinaryReader(bytes).string()).toBe(new WireReader(bytes).string());
      }),
    );
    const invalid = new BinaryWriter().bytes(Uint8Array.of(0xff)).finish();
    expect(() => new BinaryReader(invalid).string(true)).toThrow();
  });

  it('rejects a string that claims to be longer than the message', () => {
    expect(() => new BinaryReader(Uint8Array.of(5, 65, 66)).string()).toThrow(RangeError);
  });

  it('reads a message in the middle of a larger buffer', () => {
    const message = write(['Zoë', 'second']);
    const around = Uint8Array.from([1, 2, 3, ...message, 4, 5]);
    const reader = new BinaryReader(around.subarray(3, 3 + message.length));
    expect([reader.string(), reader.string()]).toEqual(['Zoë', 'second']);
  });
});
