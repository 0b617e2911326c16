import type { AttachedFile } from '../../agents';

/** The maximum length of all file texts of a message together; equal to the limit for the message's own text. */
const maxCharacters = 32_768;

/** The files of a message, with the texts of as many of them as fit. */
export function fitTexts(files: readonly AttachedFile[]): AttachedFile[] {
  let left = maxCharacters;
  return files.map((file) => {
    const { text, isWhole, ...rest } = file;
    if (text === undefined || text.length > left) return rest;
    left -= text.length;
    return { ...rest, text, ...(isWhole ? { isWhole } : {}) };
  });
}
