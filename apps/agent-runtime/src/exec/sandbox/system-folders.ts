import { lstatSync, readlinkSync } from 'node:fs';
import type { SystemFolder } from './sandbox-command';

const paths = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * Returns the folders in which this system keeps its programs and libraries. On most systems, all except `/usr` are
 * links into `/usr`; on some they are separate folders.
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
