import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSandboxed } from './run-sandboxed';

export interface Probe {
  readonly run: RunSandboxed;
  /** Where users' directories are: what is tried there is what will be done there. */
  readonly usersDir: string;
  readonly isRoot: boolean;
  readonly uid: number | undefined;
}

const timeoutMs = 10_000;
const command = 'echo works > proof && cat proof';

/** Why programs cannot be run in a sandbox here, found by running one; undefined when they can. */
export async function probeSandbox({
  run,
  usersDir,
  isRoot,
  uid,
}: Probe): Promise<string | undefined> {
  if (isRoot && uid === undefined)
    return 'the service runs as root, which no limit holds, and DAYCARE_EXEC_UID is not set';
  try {
    return await inNewFolder(usersDir, (directory) => tryOut(run, directory));
  } catch (error) {
    return reasonOf(error);
  }
}

async function tryOut(run: RunSandboxed, directory: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const hasRoom = async (): Promise<boolean> => true;
  const end = await run({ command, directory, timeoutMs, network: false, signal, hasRoom });
  if (end.exitCode === 0 && end.stdout === 'works\n') return undefined;
  return end.stderr.trim() || `a program ended with ${end.killedBy ?? end.exitCode}`;
}

/** Its name is nobody's id. */
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
