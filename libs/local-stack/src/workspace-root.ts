import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cannotStart } from './process/cannot-start';

/** Finds the nearest folder at or above `from` that contains nx.json. */
export function findWorkspaceRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json'))) return folder;
    if (folder === dirname(folder)) {
      throw cannotStart(`${from} is not inside the Daycare repository: no nx.json at or above it.`);
    }
  }
}
