import { describeFailure } from '../../failure/describe-failure';
import type { Answer } from '@daycare/client';
import type { Session } from '../session';
import { saveFiles } from './save-files';

/** The outcome of saving a reply's files. */
export interface SavedReply {
  /** Lines to show after the reply. */
  readonly lines: readonly string[];
  readonly saved: readonly string[];
  readonly saveError?: string;
  readonly exitCode?: number;
}

/** Saves a reply's files if a folder is given. Does not throw, so that the reply itself can still be shown. */
export async function saveReply(
  session: Pick<Session, 'daycare'>,
  { files }: Pick<Answer, 'files'>,
  folder: string | undefined,
): Promise<SavedReply> {
  const fileLines = files.map(
    ({ id, name, size }) => `[file ${name}, ${size} bytes: "daycare file download ${id}"]`,
  );
  if (folder === undefined) return { lines: fileLines, saved: [] };
  try {
    const saved = await saveFiles(session, files, folder);
    return { lines: saved.map((path) => `Saved ${path}`), saved };
  } catch (error) {
    const { lines, exitCode } = describeFailure(error);
    const saveError = lines.join(' ');
    return { lines: [...fileLines, saveError], saved: [], saveError, exitCode };
  }
}
