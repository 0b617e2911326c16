import { readdirSync, readFileSync } from 'node:fs';
import { startedDescriptor } from './sandbox-command';

// Linux's O_CLOEXEC, which Node does not export.
const O_CLOEXEC = 0o2000000;

/**
 * Returns the file descriptors that the service inherited from its parent and would pass on to every process it
 * starts. Omits those whose numbers are used for bubblewrap's own descriptors. Node never passes on files that the
 * service itself opens.
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

/** Returns an empty string for the descriptor that was used to list the others, because it is closed by now. */
function readInfo(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  } catch {
    return '';
  }
}
