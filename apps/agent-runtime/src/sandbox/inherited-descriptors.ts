import { readdirSync, readFileSync } from 'node:fs';
import { begunDescriptor } from './sandbox-command';

// Linux' O_CLOEXEC, which Node does not name.
const closedOnExec = 0o2000000;

/**
 * Open files that whoever started the service left to it, and that every process it starts would get
 * too. What the service opens itself is never among them.
 */
export function readInheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > begunDescriptor && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readInfo(descriptor))?.[1];
  return flags !== undefined && (parseInt(flags, 8) & closedOnExec) === 0;
}

/** Empty for the one by which they are listed, which is closed by then. */
function readInfo(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  } catch {
    return '';
  }
}
