import { lstatSync, readlinkSync } from 'node:fs';
import type { SystemFolder } from './sandbox-command';

const paths = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * Where this system has its programs and libraries: on most systems links into `/usr`, on some separate
 * folders.
 */
export function readSystemFolders(): readonly SystemFolder[] {
  return paths.flatMap(readFolder);
}

function readFolder(path: string): SystemFolder[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  const target = stats.isSymbolicLink() ? readlinkSync(path) : '';
  return /^\/?usr\//.test(target) ? [{ kind: 'link', path, target }] : [{ kind: 'folder', path }];
}
