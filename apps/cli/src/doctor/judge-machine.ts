import { neededBytes } from '@daycare/local-stack';
import { fail, ok, warn, type Check } from './check';

const oldestNode = [20, 19] as const;
const comfortableBytes = 4 * neededBytes;

export function judgeNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  const advice = `Daycare needs Node ${oldestNode.join('.')} or newer; see https://nodejs.org.`;
  return isNewEnough ? ok('node', version) : fail('node', version, advice);
}

/** What an installation was made from, and what it would be made from now. */
export interface Installation {
  readonly name: string;
  /** Undefined when nothing has been installed. */
  readonly stamp: string | undefined;
  readonly wanted: string;
}

export function judgeInstallation({ name, stamp, wanted }: Installation): Check {
  if (stamp === wanted) return ok(name, 'installed');
  const found = stamp === undefined ? 'not installed' : 'installed for another lock file or Node';
  return warn(name, found, '"npm start" and "npm test" install what is missing.');
}

/** Of the services that the build should have made. */
export function judgeBundles(missing: readonly string[]): Check {
  if (missing.length === 0) return ok('build', 'all services are built');
  return warn(
    'build',
    `not built: ${missing.join(', ')}`,
    'Build with "npm run build", or "npm start" does.',
  );
}

export function judgeDisk(freeBytes: number, folder: string): Check {
  const found = `${toMiB(freeBytes)} MiB free for ${folder}`;
  const advice = `MongoDB and NATS need ${toMiB(neededBytes)} MiB to start, and room to grow: make some, or choose another folder with --data-dir.`;
  if (freeBytes < neededBytes) return fail('disk', found, advice);
  return freeBytes < comfortableBytes ? warn('disk', found, advice) : ok('disk', found);
}

/** A port that a stack wants, and who has it. */
export interface WantedPort {
  readonly owner: string;
  readonly port: number;
  /** The variable by which a person asked for this port and no other. */
  readonly variable?: string;
  readonly use: 'free' | 'ours' | 'taken';
  /** Who has it, where that can be known. */
  readonly holder?: string;
}

export function judgePort({ owner, port, variable, use, holder }: WantedPort): Check {
  const name = `port ${port}`;
  if (use !== 'taken')
    return ok(name, use === 'free' ? `free for ${owner}` : `${owner} of the running stack`);
  const found = `wanted by ${owner}, taken by ${holder ?? 'another program'}`;
  return variable === undefined
    ? warn(name, found, 'Another port will be used; stop that program to have this one.')
    : fail(name, found, `Stop that program, or set ${variable} to a free port.`);
}

export interface Bubblewrap {
  /** Why it cannot make a sandbox; undefined when it can. */
  readonly problem: string | undefined;
  readonly isEnabled: boolean;
  readonly isRootWithoutUid: boolean;
}

export function judgeBubblewrap({ problem, isEnabled, isRootWithoutUid }: Bubblewrap): Check {
  const name = 'bubblewrap';
  const judge = isEnabled ? fail : warn;
  if (problem !== undefined)
    return judge(
      name,
      `cannot make a sandbox: ${problem}`,
      'Only the tool exec needs it, which is absent without: install bubblewrap and allow user namespaces.',
    );
  if (isEnabled && isRootWithoutUid)
    return fail(
      name,
      'works, but services run as root have no tool exec',
      'Set DAYCARE_EXEC_UID to a user id for programs, or run as somebody else.',
    );
  return ok(name, isEnabled ? 'works' : 'works; exec is off unless DAYCARE_EXEC_ENABLED=on');
}

function toMiB(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
