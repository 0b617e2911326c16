import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** From `processStartTime`; empty if unknown. */
  readonly start: string;
}

/** Reports whether this very process is still running. A process whose start time is unknown counts as dead. */
export function isProcessAlive({ pid, start }: ProcessIdentity): boolean {
  return start !== '' && processStartTime(pid) === start;
}

/**
 * Like `isProcessAlive`, but a process counts as alive while its start time cannot be read, for example because the
 * system hides other users' processes.
 */
export function mayBeAlive({ pid, start }: ProcessIdentity): boolean {
  const found = findProcess(pid);
  return found === undefined ? pidExists(pid) : found.start === start;
}

/** Reports whether any process has this pid now, possibly a different one than before. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns when the process with this pid was started, in whatever form the system reports it; undefined when there is
 * no such process or only a zombie. The same pid with a different start time means a different process.
 */
export function processStartTime(pid: number): string | undefined {
  return findProcess(pid)?.start;
}

/** A process, or a zombie, which has no start time. */
interface FoundProcess {
  readonly start: string | undefined;
}

/** Returns undefined when there is no such process or nothing can be read about it. */
function findProcess(pid: number): FoundProcess | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): FoundProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses. The
    // third is the state, and the 22nd is the start time.
    const [state, ...laterFields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { start: state === 'Z' || state === 'X' ? undefined : laterFields[18] };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): FoundProcess | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // Processes with different time zones or languages have to get the same text.
      env: { PATH: '/bin:/usr/bin', TZ: 'UTC', LC_ALL: 'C' },
    });
    const [state, ...start] = line.trim().split(/\s+/);
    if (!state) return undefined;
    return { start: state.startsWith('Z') ? undefined : start.join(' ') };
  } catch {
    return undefined;
  }
}
