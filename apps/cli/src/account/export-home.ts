import type { AgentTools } from './tools';

interface ListedEntry {
  readonly path: string;
  readonly kind: string;
}

interface Part {
  readonly text: string;
  readonly nextOffset?: number;
}

/**
 * Saves the text files of a user. Agents cannot read other files; each of those is skipped and named on standard error.
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
    const text = await readFile(tools, entry.path).catch(() => undefined);
    if (text === undefined) console.error(`Skipped ${entry.path}: it cannot be read as text.`);
    else await write(entry.path, text);
  }
}

async function readFile({ call }: AgentTools, path: string): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const part: Part = await call('file_read', { path, offset });
    parts.push(part.text);
    offset = part.nextOffset;
  }
  return parts.join('\n');
}
