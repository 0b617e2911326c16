import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appNames, bundlePath, findWorkspaceRoot, type AppName } from '@daycare/local-stack';
import { startTestStack, type TestStackOptions } from './test-stack';

/**
 * Starts every service once, and replaces the code caches from the build with new ones that also contain what a
 * complete start compiles, so that the many starts in stories and in the soak need less CPU time. Further calls do
 * nothing until the next build. Does nothing if a code cache is missing.
 */
export async function warmCodeCaches(
  servers: Pick<TestStackOptions, 'ownServers'> = {},
): Promise<void> {
  const folders = appNames.map(folderOf);
  if (folders.some((folder) => !mtimeOf(folder, cacheFile)) || folders.every(isWarmed)) return;
  const env = { DAYCARE_BUILD_CODE_CACHE: '1' };
  const before = folders.map((folder) => mtimeOf(folder, cacheFile));
  const stack = await startTestStack({ services: appNames, env, ...servers });
  await stack.stop();
  folders.forEach((folder, index) => {
    const isReplaced = mtimeOf(folder, cacheFile) !== before[index];
    if (isReplaced) writeFileSync(join(folder, markerFile), '');
  });
}

const cacheFile = 'bundle.cache';
/** Marks a cache as replaced: this file is newer than that cache, but older than the cache of any later build. */
const markerFile = 'bundle.rehearsed';

function folderOf(name: AppName): string {
  return dirname(bundlePath(findWorkspaceRoot(__dirname), name));
}

function isWarmed(folder: string): boolean {
  return mtimeOf(folder, markerFile) >= mtimeOf(folder, cacheFile);
}

/** Returns when a file was modified; zero for a file that does not exist. */
function mtimeOf(folder: string, name: string): number {
  return statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
