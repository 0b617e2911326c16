import type { ImageDimensions } from '../../agents';

/** The image types that are shown to models, each with a function that reads an image's dimensions. */
const readers: Readonly<Record<string, (head: DataView) => ImageDimensions | undefined>> = {
  'image/png': (head) => positiveSize(head.getUint32(16), head.getUint32(20)),
  'image/gif': (head) => positiveSize(head.getUint16(6, true), head.getUint16(8, true)),
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

export function isShowable(mimeType: string): boolean {
  return Object.hasOwn(readers, mimeType);
}

/** Returns the dimensions from an image's header; undefined when they cannot be read. */
export function imageSize(head: Uint8Array, mimeType: string): ImageDimensions | undefined {
  const read = isShowable(mimeType) ? readers[mimeType] : undefined;
  try {
    return read?.(new DataView(head.buffer, head.byteOffset, head.byteLength));
  } catch {
    // The header is truncated.
    return undefined;
  }
}

function positiveSize(width: number, height: number): ImageDimensions | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Walks the segments to the one that starts a frame. */
function jpegSize(head: DataView): ImageDimensions | undefined {
  for (let at = 2; ;) {
    if (head.getUint8(at) !== 0xff) return undefined;
    const marker = head.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return positiveSize(head.getUint16(at + 7), head.getUint16(at + 5));
    const endsHeader = marker === 0xda || marker === 0xd9;
    if (endsHeader) return undefined;
    at += 2 + Math.max(2, head.getUint16(at + 2));
  }
}

/** Lossy, lossless and extended images each have a different header. */
function webpSize(head: DataView): ImageDimensions | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => head.getUint8(at)));
  if (kind === 'VP8 ')
    return positiveSize(head.getUint16(26, true) & 0x3fff, head.getUint16(28, true) & 0x3fff);
  if (kind === 'VP8X') return positiveSize(uint24(head, 24) + 1, uint24(head, 27) + 1);
  if (kind !== 'VP8L') return undefined;
  const bits = head.getUint32(21, true);
  return positiveSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function uint24(head: DataView, at: number): number {
  return head.getUint16(at, true) | (head.getUint8(at + 2) << 16);
}
