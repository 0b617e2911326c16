import { describe, expect, it } from '@jest/globals';
import { sniffedBytes, sniffType } from './file-type';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
/** Binary data after the signature of a format. */
const binaryTail = '\x00\x01\x02\xff\xfe'.repeat(10);
const headOf = (text: string): Uint8Array =>
  utf8(text.padEnd(2 * sniffedBytes)).subarray(0, sniffedBytes);

describe('sniffType, given binary data,', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x10\x00\x00\x00WEBPVP8 ', 'image/webp'],
    ['BM\x10\x00\x00\x00\x00\x00\x00\x00', 'image/bmp'],
    ['II*\x00', 'image/tiff'],
    ['%PDF-1.7\n', 'application/pdf'],
    ['PK\x03\x04', 'application/zip'],
    ['PK\x05\x06', 'application/zip'],
    ['\x1f\x8b\x08', 'application/gzip'],
    ['7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
    ['SQLite format 3\x00', 'application/vnd.sqlite3'],
    [`${'a'.repeat(257)}ustar\x00`, 'application/x-tar'],
    ['ID3\x04\x00', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio/mpeg'],
    ['OggS\x00\x02', 'audio/ogg'],
    ['OggS\x00\x02aaaaaaaaaaaaaaaaaaaaaa\x80theora', 'video/ogg'],
    ['fLaC\x00', 'audio/flac'],
    ['RIFF\x10\x00\x00\x00WAVEfmt ', 'audio/wav'],
    ['\x00\x00\x00\x20ftypisom', 'video/mp4'],
    ['\x00\x00\x00\x20ftypM4A ', 'audio/mp4'],
    ['\x00\x00\x00\x20ftypqt  ', 'video/quicktime'],
    ['\x00\x00\x00\x20ftypheic', 'image/heic'],
    ['\x00\x00\x00\x20ftypavif', 'image/avif'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm', 'video/webm'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska', 'video/x-matroska'],
  ])('detects %p as %s', (start, type) => {
    for (const claimed of ['', 'text/html', 'text/plain', 'image/x-else'])
      expect(sniffType(latin1(start + binaryTail), claimed)).toBe(type);
  });

  it.each(['\x00\x01\x02', '\xc3', 'text\x00', 'MZ\x90\x00', binaryTail])(
    'detects no known type in %p',
    (content) => {
      for (const claimed of ['', 'image/png', 'text/plain', 'application/pdf'])
        expect(sniffType(latin1(content), claimed)).toBe('application/octet-stream');
    },
  );
});

describe('sniffType, given text,', () => {
  it.each([
    ['<!DOCTYPE html><p>Hello', 'text/html'],
    ['\ufeff\n <!-- by hand -->\n<HTML lang="en">', 'text/html'],
    ['<script>alert(1)</script>', 'text/html'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['<?xml version="1.0"?><!-- x --><!DOCTYPE svg PUBLIC "a" "b"><svg>', 'image/svg+xml'],
    ['<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', 'application/xhtml+xml'],
    ['<?xml version="1.0"?><note/>', 'application/xml'],
    [' {"a": [1, null]}\n', 'application/json'],
    ['[]', 'application/json'],
    ['{\\rtf1 Hello}', 'application/rtf'],
  ])('detects %p as %s', (content, type) => {
    for (const claimed of ['', 'text/plain', 'image/png'])
      expect(sniffType(utf8(content), claimed)).toBe(type);
  });

  it.each([
    '',
    'Hello',
    'naïve 🦊\n',
    '[draft] not json',
    '{ no json }',
    'a < b',
    '<3',
    'ID3 tags',
    '"x"',
  ])('detects %p as plain text, whatever type is claimed', (content) => {
    for (const claimed of ['', 'text/html', 'image/svg+xml', 'application/pdf', 'application/json'])
      expect(sniffType(utf8(content), claimed)).toBe('text/plain');
  });

  it('detects a long text’s type from its beginning, even if the beginning ends inside a character', () => {
    expect(sniffType(headOf('{"a":'), '')).toBe('application/json');
    expect(sniffType(headOf('[table]'), '')).toBe('text/plain');
    const split = utf8(`${'a'.repeat(sniffedBytes - 1)}é`).subarray(0, sniffedBytes);
    expect(sniffType(split, '')).toBe('text/plain');
  });

  it('recognises UTF-16 with a byte order mark as text', () => {
    expect(sniffType(Buffer.from('\ufeffHello', 'utf16le'), '')).toBe('text/plain');
  });

  it('detects plain text even if it begins with a prolog designed to be slow to parse', () => {
    expect(sniffType(headOf('<?x?><!---->'.repeat(400)), '')).toBe('text/plain');
    expect(sniffType(headOf(`${'<?x?>'.repeat(400)}<!`), '')).toBe('text/plain');
  });
});

describe('sniffType, given a claimed type,', () => {
  it.each([
    ['a,b\n1,2', 'text/csv', 'text/csv'],
    ['# Title', 'text/markdown', 'text/markdown'],
    ['<p align="center">Logo</p>\n# Title', 'text/markdown', 'text/markdown'],
    ['<p align="center">Logo</p>', 'text/html', 'text/html'],
    ['a: 1', 'Application/YAML; charset=utf-8', 'application/yaml'],
    ['{"a":1}\n{"a":2}', 'application/x-ndjson', 'application/x-ndjson'],
    ['{"type":"Point"}', 'application/geo+json', 'application/geo+json'],
    ['<?xml version="1.0"?><rss/>', 'application/rss+xml', 'application/rss+xml'],
    ['<note/>', 'text/xml', 'text/xml'],
    ['PK\x03\x04', 'application/epub+zip', 'application/epub+zip'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm', 'audio/webm', 'audio/webm'],
  ])('for the content %p, returns the claimed type %s', (content, claimed, type) => {
    expect(sniffType(latin1(content), claimed)).toBe(type);
  });

  it.each(['text/', '/plain', 'text/a b', 'text/<script>', `text/${'a'.repeat(200)}`, 'text'])(
    'ignores the claimed type %p, which is malformed',
    (claimed) => {
      expect(sniffType(utf8('Hello'), claimed)).toBe('text/plain');
    },
  );
});
