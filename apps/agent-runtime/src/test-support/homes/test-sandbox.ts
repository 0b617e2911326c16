import {
  spawn,
  spawnSync,
  type ChildProcess,
  type SpawnOptions,
  type StdioOptions,
} from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HomeFiles } from '../../homes/disk/home-files';
import { readInheritedDescriptors } from '../../exec/sandbox/inherited-descriptors';
import { makeRunSandboxed } from '../../exec/sandbox/run-sandboxed';
import { sandboxArguments, userFolders } from '../../exec/sandbox/sandbox-command';
import type { Program, SandboxSetup } from '../../exec/sandbox/sandbox-process';
import { readSystemFolders } from '../../exec/sandbox/system-folders';

const mebibyte = 1024 * 1024;
const isRoot = process.getuid?.() === 0;

/** Process limits do not apply to root, so root runs programs as another user. */
const uid = isRoot ? 65_534 : undefined;

export const testSetup: SandboxSetup = {
  system: readSystemFolders(),
  uid,
  inherited: readInheritedDescriptors(),
  limits: { memoryBytes: 128 * mebibyte, processes: 32, fileBytes: 16 * mebibyte },
  maxReturnedBytes: 65_536,
  maxOutputBytes: 64 * mebibyte,
  memoryCheckMs: 50,
  quotaCheckMs: 50,
};

/**
 * Returns why no sandbox can be created on this machine; undefined if one can. Synchronous, because it is needed
 * before tests are declared.
 */
export function whyNoSandbox(): string | undefined {
  const folder = makeFolder();
  for (const name of userFolders) mkdirSync(join(folder, name));
  const { status, error, stderr } = withArguments(folder, 'true', (args, options) =>
    spawnSync('bwrap', args, { ...options, timeout: 10_000 }),
  );
  rmSync(folder, { recursive: true });
  if (status === 0) return undefined;
  return error?.message ?? (String(stderr).trim() || `bwrap ended with ${status}`);
}

/** Starts a sandbox as the child of a shell. Killing the shell simulates a crash of the service. */
export function startBehindShell(directory: string, command: string): ChildProcess {
  return withArguments(directory, command, (args, options) =>
    spawn('/bin/sh', ['-c', '"$@"; exit $?', 'sh', 'bwrap', ...args], options),
  );
}

function withArguments<T>(
  directory: string,
  command: string,
  use: (args: string[], options: SpawnOptions) => T,
): T {
  const args = sandboxArguments({ ...testSetup, command, network: false });
  const opened = userFolders.map((name) => openSync(join(directory, name), 'r'));
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...opened, 'pipe', 'pipe'];
  try {
    return use(args, { stdio, cwd: '/', ...(uid === undefined ? {} : { uid, gid: uid }) });
  } finally {
    opened.forEach((descriptor) => closeSync(descriptor));
  }
}

/** Creates a folder whose entries programs can reach by name, whichever user they run as. */
function makeFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'daycare-users-'));
  chmodSync(folder, 0o711);
  return folder;
}

export type TestSandbox = ReturnType<typeof makeTestSandbox>;

/** Users' directories in a separate folder, and functions that run commands on them. */
export function makeTestSandbox(overrides: Partial<SandboxSetup> = {}, parent = tmpdir()) {
  const usersDir = makeFolder(parent);
  const homes = new HomeFiles(usersDir);
  const runSandboxed = makeRunSandboxed({ ...testSetup, ...overrides });
  const runWithoutRepair = async (
    userId: string,
    command: string,
    program: Partial<Program> = {},
  ) =>
    runSandboxed({
      command,
      directory: await homes.directoryOf(userId),
      timeoutMs: 10_000,
      network: false,
      signal: new AbortController().signal,
      hasRoom: async () => true,
      ...program,
    });
  return {
    usersDir,
    homes,
    uid,
    /** Runs a shell command for a user whose directory must exist, and does not repair the directory first. */
    runWithoutRepair,
    /** Runs a shell command for a user. */
    async run(...[userId, ...program]: Parameters<typeof runWithoutRepair>) {
      await homes.ensure(userId);
      return runWithoutRepair(userId, ...program);
    },
    close: () => rmSync(usersDir, { recursive: true }),
  };
}

/** A unique duration for `sleep`, by which `processesWith` finds the process. */
export const newMark = (): string => `${600 + Math.floor(Math.random() * 1e9)}`;

/** The ids of host processes whose command line contains `mark`. */
export function processesWith(mark: string): string[] {
  const isOurs = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name));
}
