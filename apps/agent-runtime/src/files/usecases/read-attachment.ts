import { LRUCache } from 'lru-cache';
import { notFound, type Trust } from '@daycare/api';
import type { FileReference } from '../../agents';
import type { Converter } from '../convert/converter';
import { referenceTo, type StoredFile } from '../domain/stored-file';
import { decodeText } from '../domain/text-type';
import type { FileStore } from '../store/file-store';
import type { FileUser } from './load-images';

export interface ReadAttachmentDeps {
  readonly files: Pick<FileStore, 'find' | 'open' | 'readRange'>;
  readonly convert: Converter;
  /** How long to wait before a PDF that could not be converted is tried again. */
  readonly failureMs?: number;
}

export interface AttachmentRange {
  readonly fileId: string;
  /** Where to begin: 0, or `nextOffset` of an earlier part. */
  readonly offset: number;
  /** How much to return at most. */
  readonly length: number;
}

export interface AttachmentPart {
  readonly file: FileReference;
  /**
   * The lower of the trust of the file's author and of the turn that stored it; undefined when both are the user's own.
   */
  readonly writtenBy: Trust | undefined;
  readonly encoding: 'text' | 'base64';
  readonly content: string;
  /** Where the next part begins; undefined at the end. */
  readonly nextOffset: number | undefined;
}

const maxPdfCharacters = 1_000_000;
const maxCachedCharacters = 8_000_000;
/** How much of the cache a PDF that cannot be converted takes up. */
const failureCharacters = 1_024;
const defaultFailureMs = 10 * 60_000;
/** The length of the longest character in UTF-8. */
const maxCharacterBytes = 4;

/** Reads a part of a file: as text if it is text or a PDF that can be converted, in base64 otherwise. */
export function makeReadAttachment({
  files,
  convert,
  failureMs = defaultFailureMs,
}: ReadAttachmentDeps) {
  const extractedTexts = new LRUCache<string, { readonly text: string | undefined }, FileUser>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ text }) => (text === undefined ? failureCharacters : text.length + 1),
    fetchMethod: async (fileId, _stale, { context, options }) => {
      const { userId, ownerUserId = userId } = context;
      const found = await files.open(userId, fileId);
      const conversion = { kind: 'pdf', maxCharacters: maxPdfCharacters } as const;
      const bytes = found && (await convert(ownerUserId, conversion, found));
      if (!bytes) options.ttl = failureMs;
      return { text: bytes?.toString('utf8') };
    },
  });
  return async (user: FileUser, range: AttachmentRange): Promise<AttachmentPart> => {
    const file = await files.find(user.userId, range.fileId);
    if (!file) throw notFound('attachment');
    const facts = { file: referenceTo(file), writtenBy: file.writtenBy };
    if (file.mimeType === 'application/pdf') {
      const extracted = await extractedTexts.fetch(file.id, { context: user });
      if (extracted?.text !== undefined) return { ...facts, ...partOfText(extracted.text, range) };
    }
    return { ...facts, ...(await partOfBytes(files, file, range)) };
  };
}

type Part = Pick<AttachmentPart, 'encoding' | 'content' | 'nextOffset'>;

/** Offsets in extracted text count characters. */
function partOfText(text: string, { offset, length }: AttachmentRange): Part {
  const start = text.slice(offset, offset + length);
  const isSplit = /[\ud800-\udbff]$/.test(start);
  // A single character is returned whole, even if that is one more than requested.
  const content = isSplit ? start.slice(0, -1) || text.slice(offset, offset + 2) : start;
  const end = offset + content.length;
  return { encoding: 'text', content, nextOffset: end < text.length ? end : undefined };
}

/** Offsets in a file count bytes. */
async function partOfBytes(
  files: ReadAttachmentDeps['files'],
  file: StoredFile,
  { offset, length }: AttachmentRange,
): Promise<Part> {
  const bytes = await files.readRange(file, offset, length + maxCharacterBytes);
  const isText = file.preview?.text !== undefined || file.mimeType.startsWith('text/');
  const text = isText ? wholeCharacters(bytes, length) : undefined;
  if (text) return withEnd('text', text.content, offset + text.bytes, file);
  // Base64 has four characters for three bytes.
  const fitting = bytes.subarray(0, Math.max(3, Math.floor(length / 4) * 3));
  return withEnd('base64', fitting.toString('base64'), offset + fitting.length, file);
}

function withEnd(
  encoding: Part['encoding'],
  content: string,
  end: number,
  { size }: StoredFile,
): Part {
  return { encoding, content, nextOffset: end < size ? end : undefined };
}

/** Returns at most this many bytes as whole characters, or one longer character; undefined if they are not text. */
function wholeCharacters(
  bytes: Buffer,
  length: number,
): { readonly content: string; readonly bytes: number } | undefined {
  let end = Math.min(length, bytes.length);
  const isContinued = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  while (end > 0 && end < bytes.length && isContinued(end)) end -= 1;
  // An empty part would be requested again and again.
  if (end === 0 && bytes.length > 0) {
    end = 1;
    while (end < bytes.length && isContinued(end)) end += 1;
  }
  const content = decodeText(bytes.subarray(0, end), true);
  return content === undefined ? undefined : { content, bytes: end };
}
