import type { FileHandle } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { ExportAgentResponse } from '@daycare/contracts/agent-runtime';
import { openNewFile } from '../../client/files/write-new';
import { textView } from '../../output/view';
import { defineCommand } from '../kit/command';
import { agentArgument } from '../kit/options';

export const exportCommand = defineCommand<{ force?: boolean }>({
  name: 'export',
  description: 'export an agent to a folder as descriptor.json, state.json and history.jsonl',
  args: [['<folder>', 'target folder, created if missing'], agentArgument],
  options: [['--force', 'overwrite existing files']],
  examples: ['agent export ./backup', 'agent export ./backup work --force'],
  hints: { NOT_FOUND: 'Run "daycare agent list" to see your agents.' },
  async run({ session, args: [folder = '', id], options: { force = false } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    const files = await writeFiles(folder, opened.runtime.exportAgent({ agentId }), force);
    return textView(files.map(({ path }) => `Wrote ${path}`).join('\n'), { agentId, files });
  },
});

interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
}

/** Writes the files as they arrive. Creates no file before the first chunk, so a refused export leaves none behind. */
async function writeFiles(
  folder: string,
  chunks: AsyncIterable<ExportAgentResponse>,
  force: boolean,
): Promise<WrittenFile[]> {
  const sizes = new Map<string, number>();
  let current: { path: string; handle: FileHandle } | undefined;
  try {
    for await (const { fileName, chunk } of chunks) {
      const path = join(resolve(folder), basename(fileName));
      if (current?.path !== path) {
        await current?.handle.close();
        current = { path, handle: await openNewFile(path, force) };
      }
      await current.handle.write(chunk);
      sizes.set(path, (sizes.get(path) ?? 0) + chunk.length);
    }
  } finally {
    await current?.handle.close();
  }
  return [...sizes].map(([path, bytes]) => ({ path, bytes }));
}
