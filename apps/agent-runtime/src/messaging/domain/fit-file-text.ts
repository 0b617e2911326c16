import type { AttachedFile } from '../../agents';

/** The maximum total length of the text from a message's files; equal to the limit for the message's own text. */
const maxCharacters = 32_768;

/** Returns a message's files, each with its text if that still fits. */
export function fitFileText(files: readonly AttachedFile[]): AttachedFile[] {
  let remaining = maxCharacters;
  return files.map((file) => {
    const { text, isWhole, ...rest } = file;
    if (text === undefined || text.length > remaining) return rest;
    remaining -= text.length;
    return { ...rest, text, ...(isWhole ? { isWhole } : {}) };
  });
}
