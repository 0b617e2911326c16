import { readdirSync, readFileSync } from 'node:fs';
import { startedDescriptor } from './sandbox-command';

// Linux's O_CLOEXEC, which Node does not export.
const O_CLOEXEC = 0o2000000;

/**
 * The descriptors of open files that the service inherited from its parent, and that every process it starts
 * would inherit as well. Files that the service opens itself are never among them.
 */
export function readInheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > startedDescriptor && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readInfo(descriptor))?.[1];
  return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
}

/** Empty for the descriptor that was used to list the others: it is closed by now. */
function readInfo(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  } catch {
    return '';
  }
}
