import { isDaycareError } from '@daycare/client/errors';
import { safeLine } from '../output/safe-text';
import type { AgentTools } from './tools';

interface ListedEntry {
  readonly path: string;
  readonly kind: string;
}

interface Part {
  readonly text: string;
  readonly nextOffset?: number;
  /** Whether a line was too long and was truncated. */
  readonly isTruncated?: boolean;
}

/**
 * Saves those of a user's files that agents can read. Other files, i.e. those that are not text or are too large, are
 * skipped and named on standard error.
 */
export async function exportHome(
  tools: AgentTools,
  write: (path: string, content: string) => Promise<void>,
): Promise<void> {
  const queue = await tools.list<ListedEntry>('file_list', {});
  const seen = new Set<string>();
  for (let entry = queue.shift(); entry; entry = queue.shift()) {
    if (seen.has(`${entry.kind} ${entry.path}`)) continue;
    seen.add(`${entry.kind} ${entry.path}`);
    if (entry.kind === 'folder')
      queue.push(...(await tools.list<ListedEntry>('file_list', { path: entry.path })));
    if (entry.kind !== 'file') continue;
    const text = await readFile(tools, entry.path);
    if (text !== undefined) await write(entry.path, text);
  }
}

/** Returns the text of a file. If the file cannot be exported, reports the reason and returns undefined. */
async function readFile({ call }: AgentTools, path: string): Promise<string | undefined> {
  const parts: Part[] = [];
  try {
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Part = await call('file_read', { path, offset });
      parts.push(part);
      offset = part.nextOffset;
    }
  } catch (error) {
    // The file is not text, is too large or was deleted after it was listed.
    if (!isDaycareError(error, 'FAILED_PRECONDITION', 'INVALID_ARGUMENT', 'NOT_FOUND')) throw error;
    console.error(safeLine(`Skipped ${path}: ${error.message}.`));
    return undefined;
  }
  if (parts.some(({ isTruncated }) => isTruncated))
    console.error(safeLine(`${path} is incomplete: a line is too long and was truncated.`));
  return parts.map(({ text }) => text).join('\n');
}
