import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { appNames, bundlePath, readFreeBytes, reasonOf } from '@daycare/local-stack';
import { fail, ok, type Check } from './check';
import {
  assessBubblewrap,
  assessBundles,
  assessDisk,
  assessInstallation,
  assessNode,
  type Installation,
} from './assess-machine';

export interface Machine {
  /** Undefined when the command is installed outside the repository. */
  readonly workspaceRoot: string | undefined;
  /** The data folder of a stack; it need not exist. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Checks Node, installed packages, the build, disk space, the users folder and the sandbox. */
export async function checkMachine({ workspaceRoot, dataDir, env }: Machine): Promise<Check[]> {
  const [installed, ...rest] = await Promise.all([
    workspaceRoot === undefined ? Promise.resolve([]) : checkInstallation(workspaceRoot),
    checkDisk(dataDir),
    checkUsersDir(env['DAYCARE_USERS_DIR'] ?? join(dataDir, 'users')),
    checkBubblewrap(env),
  ]);
  return [assessNode(process.version), ...installed, ...rest];
}

async function checkInstallation(root: string): Promise<Check[]> {
  const servers = join(root, 'tools', 'servers');
  const isPackaged = process.platform === 'linux' && process.arch === 'x64';
  const folders = [['packages', root], ...(isPackaged ? [['packaged servers', servers]] : [])];
  const installed = await Promise.all(
    folders.map(([name = '', folder = '']) => readInstallation(name, folder)),
  );
  const missing = appNames.filter((service) => !existsSync(bundlePath(root, service)));
  return [...installed.map(assessInstallation), assessBundles(missing)];
}

/** Reads the stamp that tools/install.mjs writes. */
async function readInstallation(name: string, folder: string): Promise<Installation> {
  const stamp = join(folder, 'node_modules', '.daycare-installed');
  const lock = await readFile(join(folder, 'package-lock.json')).catch(() => '');
  return {
    name,
    stamp: await readFile(stamp, 'utf8').catch(() => undefined),
    expected: createHash('sha256').update(lock).update(process.version).digest('hex'),
  };
}

async function checkDisk(dataDir: string): Promise<Check> {
  return assessDisk(await readFreeBytes(nearestFolder(dataDir)), dataDir);
}

async function checkUsersDir(usersDir: string): Promise<Check> {
  try {
    await access(nearestFolder(usersDir), constants.W_OK | constants.X_OK);
    return ok('users dir', usersDir);
  } catch (error) {
    const advice =
      'Make it writable, or choose another folder with DAYCARE_USERS_DIR or --data-dir.';
    return fail('users dir', `cannot write to ${usersDir}: ${reasonOf(error)}`, advice);
  }
}

/** Returns the folder itself, or the nearest existing one above it. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(dirname(folder));
}

async function checkBubblewrap(env: NodeJS.ProcessEnv): Promise<Check> {
  return assessBubblewrap({
    problem: await trySandbox(env),
    isEnabled: env['DAYCARE_EXEC_ENABLED'] === 'on',
    isRootWithoutUid: process.getuid?.() === 0 && !Number(env['DAYCARE_EXEC_UID'] ?? 0),
  });
}

async function trySandbox({ PATH }: NodeJS.ProcessEnv): Promise<string | undefined> {
  const args = ['--ro-bind', '/', '/', '--unshare-all', '--die-with-parent', '/bin/true'];
  try {
    await promisify(execFile)('bwrap', args, { env: { PATH }, timeout: 10_000 });
    return undefined;
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'bwrap is not installed';
    const output = stderr?.trim() ?? '';
    return output === '' ? reasonOf(error) : output;
  }
}
