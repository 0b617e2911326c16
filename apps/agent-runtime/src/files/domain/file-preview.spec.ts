import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxPreviewCharacters, previewedBytes, previewOf } from './file-preview';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as never, 'latin1' as never)));
const preview = (head: Buffer, mimeType: string, size = head.length) =>
  previewOf(head, mimeType, size);

describe('the preview of an image', () => {
  const filler = new Array<number>(8).fill(0);
  it.each([
    ['image/png', bytes('\x89PNG\r\n\x1a\n', filler, [0, 0, 4, 0], [0, 0, 3, 0]), 1_024, 768],
    ['image/gif', bytes('GIF89a', [0x20, 3], [0x58, 2]), 800, 600],
    [
      'image/jpeg',
      bytes([0xff, 0xd8, 0xff, 0xe1, 0, 4, 1, 2], [0xff, 0xc2, 0, 17, 8, 2, 0x58, 3, 0x20]),
      800,
      600,
    ],
    ['image/webp', bytes('RIFF....WEBPVP8X', filler, [0x1f, 3, 0], [0x57, 2, 0]), 800, 600],
    [
      'image/webp',
      bytes('RIFF....WEBPVP8 ', new Array<number>(10).fill(0), [0x20, 3, 0x58, 2]),
      800,
      600,
    ],
    ['image/webp', bytes('RIFF....WEBPVP8L', [0, 0, 0, 0, 0x2f], [0x1f, 0xc3, 0x95, 0]), 800, 600],
  ])(
    'the dimensions of an image (%s) are read from its header',
    (mimeType, head, width, height) => {
      expect(preview(head, mimeType)).toEqual({ dimensions: { width, height } });
    },
  );

  it('making a preview never throws, whatever the file claims to be', () => {
    const types = fc.constantFrom('image/png', 'image/gif', 'image/jpeg', 'image/webp');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), types, (head, mimeType) => {
        const { dimensions } = previewOf(head, mimeType, head.length);
        if (dimensions) expect(dimensions.width * dimensions.height).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the preview of a text file', () => {
  it('the preview of a short text file is its whole text', () => {
    expect(preview(Buffer.from('grüße'), 'text/plain')).toEqual({ text: 'grüße', isWhole: true });
  });

  it.each(['x', 'é', '漢', '👩‍🚀'])(
    'the preview of a long text made of %s is truncated between characters',
    (character) => {
      const whole = character.repeat(previewedBytes);
      const head = Buffer.from(whole).subarray(0, previewedBytes);
      const { text = '', isWhole } = preview(head, 'text/plain', Buffer.byteLength(whole));
      expect(isWhole).toBeUndefined();
      expect(whole.startsWith(text)).toBe(true);
      expect(text.length).toBeGreaterThan(maxPreviewCharacters - 5);
      expect(text.length).toBeLessThanOrEqual(maxPreviewCharacters);
    },
  );

  it('the preview of binary data or a PDF has no text', () => {
    expect(preview(Buffer.from([0, 1, 2, 3]), 'application/octet-stream')).toEqual({});
    expect(preview(Buffer.from('%PDF-1.4'), 'application/pdf')).toEqual({});
  });
});
