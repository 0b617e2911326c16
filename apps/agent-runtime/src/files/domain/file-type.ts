import { decodeText, typeOfText } from './text-type';

/**
 * How much of a file's beginning `sniffType` needs; anything shorter is taken to be the whole file.
 */
export const sniffedBytes = 4_096;

const unknownType = 'application/octet-stream';
const wellFormedType = /^[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;

/** File signatures, one character per byte; the first match is the type. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM[^]{4}\0{4}/, 'image/bmp'],
  [/^(II\*\0|MM\0\*)/, 'image/tiff'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^%PDF-/, 'application/pdf'],
  [/^\{\\rtf/, 'application/rtf'],
  [/^%!PS/, 'application/postscript'],
  [/^PK(\x03\x04|\x05\x06|\x07\x08)/, 'application/zip'],
  [/^\x1f\x8b\x08/, 'application/gzip'],
  [/^BZh[1-9]1AY&SY/, 'application/x-bzip2'],
  [/^\xfd7zXZ\0/, 'application/x-xz'],
  [/^\x28\xb5\x2f\xfd/, 'application/zstd'],
  [/^7z\xbc\xaf\x27\x1c/, 'application/x-7z-compressed'],
  [/^Rar!\x1a\x07/, 'application/vnd.rar'],
  [/^[^]{257}ustar/, 'application/x-tar'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'application/x-cfb'],
  [/^SQLite format 3\0/, 'application/vnd.sqlite3'],
  [/^\0asm/, 'application/wasm'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^ID3[\x02-\x04]/, 'audio/mpeg'],
  [/^\xff[\xfb\xfa\xf3\xf2\xe3\xe2]/, 'audio/mpeg'],
  [/^\xff[\xf1\xf9]/, 'audio/aac'],
  [/^fLaC[\0\x80]/, 'audio/flac'],
  [/^OggS\0[^]{0,60}\x80theora/, 'video/ogg'],
  [/^OggS\0/, 'audio/ogg'],
  [/^RIFF[^]{4}AVI /, 'video/x-msvideo'],
  [/^\x1a\x45\xdf\xa3[^]{0,64}webm/, 'video/webm'],
  [/^\x1a\x45\xdf\xa3/, 'video/x-matroska'],
  [/^\0\0[^]{2}ftyp(M4A|M4B)/, 'audio/mp4'],
  [/^\0\0[^]{2}ftyp(hei|hev|mif1)/, 'image/heic'],
  [/^\0\0[^]{2}ftypavi[fs]/, 'image/avif'],
  [/^\0\0[^]{2}ftypqt/, 'video/quicktime'],
  [/^\0\0[^]{2}ftyp3g/, 'video/3gpp'],
  [/^\0\0[^]{2}ftyp/, 'video/mp4'],
];

/** The formats found inside each container format; a claim of one of them is more precise than the container's type. */
const containedFormats: Readonly<Record<string, RegExp>> = {
  'application/zip':
    /^application\/(vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|java-archive$|vnd\.android\.package-archive$)/,
  'application/x-cfb': /^application\/(msword|vnd\.ms-(excel|powerpoint|outlook))$/,
  'video/mp4': /^audio\/mp4$/,
  'video/webm': /^audio\/webm$/,
};

/**
 * Detects a file's type from its first `sniffedBytes` bytes. The claimed type is used only to choose between formats
 * that these bytes do not distinguish: text formats that look alike, or formats inside a container.
 */
export function sniffType(head: Uint8Array, claimed: string): string {
  const claim = normalize(claimed);
  const signatureType = typeOfBytes(head);
  if (signatureType !== undefined)
    return containedFormats[signatureType]?.test(claim) ? claim : signatureType;
  const isWhole = head.length < sniffedBytes;
  const text = decodeText(head, isWhole);
  if (text !== undefined) return typeOfText(text, isWhole, claim);
  return isUtf16(head) ? 'text/plain' : unknownType;
}

function typeOfBytes(head: Uint8Array): string | undefined {
  const start = Array.from(head.subarray(0, 300), (byte) => String.fromCharCode(byte)).join('');
  return beginnings.find(([pattern]) => pattern.test(start))?.[1];
}

function normalize(claimed: string): string {
  const type = (claimed.split(';', 1)[0] ?? '').trim().toLowerCase();
  return wellFormedType.test(type) ? type : '';
}

/** Detects only UTF-16 with a byte order mark; without one, it cannot be distinguished from binary data. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
