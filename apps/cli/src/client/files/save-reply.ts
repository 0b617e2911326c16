import { describeFailure } from '../../failure/describe-failure';
import type { Answer } from '@daycare/client';
import type { Session } from '../session';
import { saveFiles } from './save-files';

/** The outcome of saving a reply's files. */
export interface SavedReply {
  /** Lines to show after the reply. */
  readonly lines: readonly string[];
  /** The paths of the files that were saved, even if a later file could not be saved. */
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
  const saved: string[] = [];
  const savedLines = (): string[] => saved.map((path) => `Saved ${path}`);
  try {
    for await (const path of saveFiles(session, files, folder)) saved.push(path);
    return { lines: savedLines(), saved };
  } catch (error) {
    const { lines: problem, exitCode } = describeFailure(error);
    const saveError = problem.join(' ');
    const lines = [...savedLines(), ...fileLines.slice(saved.length), saveError];
    return { lines, saved, saveError, exitCode };
  }
}
