import type { AttachedFile } from '../../agents';
import { imageSize } from './image-size';
import { decodeText } from './text-type';

/** What messages show of a file that has not been opened. */
export type FilePreview = Pick<AttachedFile, 'dimensions' | 'text' | 'isWhole'>;

/** How much of a file's beginning to pass to `previewOf`. */
export const previewedBytes = 131_072;

/** How many characters of a text file come with a message; agents read the rest with a tool. */
export const maxPreviewCharacters = 8_000;
/** A character has at most three bytes in UTF-8 for each of its UTF-16 units. */
const maxTextBytes = maxPreviewCharacters * 3 + 3;

/** Returns the preview of a file with this beginning, type and size. */
export function previewOf(head: Uint8Array, mimeType: string, size: number): FilePreview {
  const dimensions = imageSize(head, mimeType);
  if (dimensions) return { dimensions };
  const isPartial = size > head.length || head.length > maxTextBytes;
  const text = decodeText(head.subarray(0, maxTextBytes), !isPartial);
  if (text === undefined || programFormats.test(mimeType)) return {};
  const start = text.slice(0, maxPreviewCharacters).replace(/[\ud800-\udbff]$/, '');
  const isWhole = !isPartial && start === text;
  return { text: start, ...(isWhole ? { isWhole } : {}) };
}

/** Formats that are meant for programs, although they look like text. */
const programFormats = /^application\/(pdf|rtf|postscript)$/;
