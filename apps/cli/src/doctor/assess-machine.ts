import { neededBytes } from '@daycare/local-stack';
import { fail, ok, warn, type Check } from './check';

const minNode = [20, 19] as const;
const recommendedBytes = 4 * neededBytes;

export function assessNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [minMajor, minMinor] = minNode;
  const isNewEnough = major > minMajor || (major === minMajor && minor >= minMinor);
  const advice = `Daycare needs Node ${minNode.join('.')} or newer; see https://nodejs.org.`;
  return isNewEnough ? ok('node', version) : fail('node', version, advice);
}

/** An installation. A stamp is a hash of the lock file and the Node version; `tools/install.mjs` writes it. */
export interface Installation {
  readonly name: string;
  /** Undefined when nothing is installed. */
  readonly stamp: string | undefined;
  readonly expected: string;
}

export function assessInstallation({ name, stamp, expected }: Installation): Check {
  if (stamp === expected) return ok(name, 'installed');
  const found =
    stamp === undefined ? 'not installed' : 'installed for another lock file or Node version';
  return warn(name, found, 'Run "npm start" or "npm test" to install what is missing.');
}

/** `missing` lists the services that have no bundle. */
export function assessBundles(missing: readonly string[]): Check {
  if (missing.length === 0) return ok('build', 'all services are built');
  return warn(
    'build',
    `not built: ${missing.join(', ')}`,
    'Run "npm run build" or "npm start" to build them.',
  );
}

export function assessDisk(freeBytes: number, folder: string): Check {
  const found = `${toMiB(freeBytes)} MiB free for ${folder}`;
  const advice = `MongoDB and NATS need ${toMiB(neededBytes)} MiB to start, and room to grow. Free some space, or choose another folder with --data-dir.`;
  if (freeBytes < neededBytes) return fail('disk', found, advice);
  return freeBytes < recommendedBytes ? warn('disk', found, advice) : ok('disk', found);
}

/** A port that a stack would use, and the process that holds it. */
export interface StackPort {
  readonly owner: string;
  readonly port: number;
  /** The variable that demands exactly this port; absent if any free port will do. */
  readonly variable?: string;
  readonly use: 'free' | 'ours' | 'taken';
  /** The process that holds the port, if known. */
  readonly holder?: string;
}

export function assessPort({ owner, port, variable, use, holder }: StackPort): Check {
  const name = `port ${port}`;
  if (use !== 'taken')
    return ok(name, use === 'free' ? `free for ${owner}` : `used by ${owner} in the running stack`);
  const found = `needed by ${owner}, taken by ${holder ?? 'another program'}`;
  return variable === undefined
    ? warn(name, found, 'Daycare will use another port; stop that program to free this one.')
    : fail(name, found, `Stop that program, or set ${variable} to a free port.`);
}

export interface Bubblewrap {
  /** Why bubblewrap cannot create a sandbox; undefined when it can. */
  readonly problem: string | undefined;
  readonly isEnabled: boolean;
  /** Whether services run as root and DAYCARE_EXEC_UID does not name another user for programs. */
  readonly isRootWithoutUid: boolean;
}

export function assessBubblewrap({ problem, isEnabled, isRootWithoutUid }: Bubblewrap): Check {
  const name = 'bubblewrap';
  const report = isEnabled ? fail : warn;
  if (problem !== undefined)
    return report(
      name,
      `cannot create a sandbox: ${problem}`,
      'Only the exec tool needs it. To enable that tool, install bubblewrap and allow user namespaces.',
    );
  if (isEnabled && isRootWithoutUid)
    return fail(
      name,
      'works, but the exec tool is disabled for services that run as root',
      'Set DAYCARE_EXEC_UID to the user id that programs should run as, or run the stack as another user.',
    );
  return ok(
    name,
    isEnabled ? 'works' : 'works; the exec tool is off unless DAYCARE_EXEC_ENABLED=on',
  );
}

function toMiB(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
