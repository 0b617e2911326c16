import { isForeign } from '@daycare/api';
import type { ContextMessage } from './context-message';
import type { AttachedFile } from './history-record';
import { replaceInlineImages } from './inline-images';
import { renderPersonText } from './render-system-message';

type UserMessage = Extract<ContextMessage, { role: 'user' }>;

/**
 * Renders a message's files for a model: a line for each, followed by the text that comes with the message unless the
 * file has the trust of a guest or outsider. Names and text are escaped like a message, because anyone may have written
 * them.
 */
export function renderFiles({ files, images = [] }: UserMessage): string[] {
  return files.map((file) => {
    const index = images.findIndex(({ fileId }) => fileId === file.id);
    return renderFile(file, index < 0 ? undefined : index + 1);
  });
}

/** Describes a file in one line. */
export function describeFile({ name, mimeType, size, id }: AttachedFile): string {
  const line = `[attached file: ${name}, ${mimeType}, ${size} bytes, id ${id}]`;
  return replaceInlineImages(renderPersonText(line));
}

function renderFile(file: AttachedFile, imageNumber: number | undefined): string {
  const { id, text, isWhole } = file;
  const line = describeFile(file);
  if (imageNumber !== undefined) return `${line} (shown as image ${imageNumber} below)`;
  const isForeignFile = file.writtenBy !== undefined && isForeign(file.writtenBy);
  if (isForeignFile) return `${line} (not written by your user; read it with attachment_read)`;
  if (text === undefined) return line;
  // The writer of the file does not know its id, so no text in it can pose as its end.
  const end = isWhole ? `[end of ${id}]` : `[${id} continues; read the rest with attachment_read]`;
  return `${line}\n${replaceInlineImages(renderPersonText(text))}\n${end}`;
}
