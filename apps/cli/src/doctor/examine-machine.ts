import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundlePath, readFreeBytes, reasonOf, serviceNames } from '@daycare/local-stack';
import { fail, ok, type Check } from './check';
import {
  judgeBubblewrap,
  judgeBundles,
  judgeDisk,
  judgeInstallation,
  judgeNode,
  type Installation,
} from './judge-machine';

export interface Machine {
  /** Undefined for a command that was installed outside the repository. */
  readonly workspaceRoot: string | undefined;
  /** Where a stack keeps its data; need not exist. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Node, what is installed and built, room on the disk, folders, and the sandbox. */
export async function examineMachine({ workspaceRoot, dataDir, env }: Machine): Promise<Check[]> {
  const [installed, ...rest] = await Promise.all([
    workspaceRoot === undefined ? Promise.resolve([]) : examineInstallation(workspaceRoot),
    examineDisk(dataDir),
    examineUsersDir(env['DAYCARE_USERS_DIR'] ?? join(dataDir, 'users')),
    examineBubblewrap(env),
  ]);
  return [judgeNode(process.version), ...installed, ...rest];
}

async function examineInstallation(root: string): Promise<Check[]> {
  const servers = join(root, 'tools', 'servers');
  const isPackaged = process.platform === 'linux' && process.arch === 'x64';
  const folders = [['packages', root], ...(isPackaged ? [['packaged servers', servers]] : [])];
  const installed = await Promise.all(
    folders.map(([name = '', folder = '']) => readInstallation(name, folder)),
  );
  const missing = serviceNames.filter((service) => !existsSync(bundlePath(root, service)));
  return [...installed.map(judgeInstallation), judgeBundles(missing)];
}

/** As tools/run.mjs stamps it. */
async function readInstallation(name: string, folder: string): Promise<Installation> {
  const stamp = join(folder, 'node_modules', '.daycare-installed');
  const lock = await readFile(join(folder, 'package-lock.json')).catch(() => '');
  return {
    name,
    stamp: await readFile(stamp, 'utf8').catch(() => undefined),
    wanted: createHash('sha256').update(lock).update(process.version).digest('hex'),
  };
}

async function examineDisk(dataDir: string): Promise<Check> {
  return judgeDisk(await readFreeBytes(nearestFolder(dataDir)), dataDir);
}

async function examineUsersDir(usersDir: string): Promise<Check> {
  try {
    await access(nearestFolder(usersDir), constants.W_OK | constants.X_OK);
    return ok('users dir', usersDir);
  } catch (error) {
    const advice = 'Make it writable, or choose another with DAYCARE_USERS_DIR or --data-dir.';
    return fail('users dir', `${usersDir} cannot be written: ${reasonOf(error)}`, advice);
  }
}

/** The folder itself, or the one in which it would be made. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(dirname(folder));
}

async function examineBubblewrap(env: NodeJS.ProcessEnv): Promise<Check> {
  return judgeBubblewrap({
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
    const said = stderr?.trim() ?? '';
    return said === '' ? reasonOf(error) : said;
  }
}
