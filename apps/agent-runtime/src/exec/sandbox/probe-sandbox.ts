import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { RunSandboxed } from './run-sandboxed';

export interface Probe {
  readonly run: RunSandboxed;
  /** The users' directory: the probe runs where programs will run. */
  readonly usersDir: string;
  /** The paths on the host that programs may read besides their users' folders. */
  readonly mounted: readonly string[];
  readonly isRoot: boolean;
  readonly uid: number | undefined;
}

const timeoutMs = 10_000;

/** Returns why programs cannot be sandboxed here, or undefined if they can; runs a test program to find out. */
export async function probeSandbox(probe: Probe): Promise<string | undefined> {
  if (probe.isRoot && probe.uid === undefined)
    return 'the service runs as root, to which limits do not apply, and DAYCARE_EXEC_UID is not set';
  try {
    const usersDir = await realpath(probe.usersDir);
    return (
      (await findOverlap(usersDir, probe.mounted)) ?? (await runTestProgram(probe.run, usersDir))
    );
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Returns why the paths mounted for programs would expose users' files; undefined if they would not. All users' files
 * belong to one system user, so only the choice of mounts keeps a program away from other users' files.
 */
async function findOverlap(
  usersDir: string,
  mounted: readonly string[],
): Promise<string | undefined> {
  const realPaths = await Promise.all(mounted.map((path) => realpath(path).catch(() => path)));
  const exposed = realPaths.find((path) => isInside(usersDir, path) || isInside(path, usersDir));
  return exposed && `users' directories are in ${usersDir}, and programs can see ${exposed}`;
}

function isInside(path: string, folder: string): boolean {
  return relative(folder, path).split('/')[0] !== '..';
}

/**
 * Runs a program that tries to read another user's file, which must fail. Returns why programs cannot be run safely;
 * undefined if they can.
 */
function runTestProgram(run: RunSandboxed, usersDir: string): Promise<string | undefined> {
  return inNewFolder(usersDir, (neighbour) =>
    inNewFolder(usersDir, async (directory) => {
      await chmod(neighbour, 0o755);
      const secret = join(neighbour, 'secret');
      await writeFile(secret, 'seen', { mode: 0o644 });
      const command = `cat ${quote(secret)} 2> /dev/null; echo works > proof && cat proof`;
      const { signal } = new AbortController();
      const hasRoom = async (): Promise<boolean> => true;
      const end = await run({ command, directory, timeoutMs, network: false, signal, hasRoom });
      if (end.exitCode === 0 && end.stdout === 'works\n') return undefined;
      if (end.stdout.startsWith('seen')) return `programs can see the contents of ${usersDir}`;
      return (
        end.stderr.trim() ||
        `the test program ${end.killedBy ? `exceeded its ${end.killedBy} limit` : `exited with ${end.exitCode}`}`
      );
    }),
  );
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Runs `use` in a temporary folder whose name is not a valid user id. */
async function inNewFolder<T>(parent: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, '.probe-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
