import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';

const packageFolders = ['node_modules', 'tools/servers/node_modules'];
/** Not copied, because the copy links to them, builds them itself or does not need them. */
const skipped = new Set([
  ...packageFolders,
  ...['.git', '.daycare', '.daycare-cluster', 'dist', 'secrets'],
  ...['bench-results', 'coverage', 'test-results'],
]);

/**
 * Copies the workspace for stories that run npm scripts, because every build makes Nx rewrite the files in `dist`, even
 * unchanged ones, while other stories start services from them. The copy shares the installed packages and has a copy
 * of Nx's cache, so that nothing is installed or compiled again.
 */
export async function copyWorkspace(): Promise<string> {
  const root = findWorkspaceRoot(__dirname);
  const copy = await mkdtemp(join(tmpdir(), 'daycare-workspace-'));
  const filter = (from: string): boolean => !skipped.has(relative(root, from));
  await cp(root, copy, { recursive: true, filter });
  for (const folder of packageFolders) await symlink(join(root, folder), join(copy, folder));
  return copy;
}
