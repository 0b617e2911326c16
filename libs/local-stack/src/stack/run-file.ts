import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotStart } from '../process/cannot-start';
import { poll } from '../process/poll';
import {
  isProcessAlive,
  processStartTime,
  type ProcessIdentity,
} from '../process/process-identity';

interface RecordedProcess extends ProcessIdentity {
  readonly name: string;
}

interface RunRecord {
  readonly launcher: RecordedProcess;
  readonly children: readonly RecordedProcess[];
}

/** A launcher's claim on a data folder, with the processes that the launcher has started. */
export interface RunFile {
  record(child: { readonly name: string; readonly pid: number }): void;
  forget(pid: number): void;
  /** Releases the folder; all recorded children must have exited. */
  release(): void;
}

/**
 * Claims the data folder for this process, after stopping processes that a dead launcher has left running. Throws if
 * another launcher is using the folder, or if one of those processes cannot be stopped.
 */
export async function claimDataDir(dataDir: string): Promise<RunFile> {
  const file = join(dataDir, 'run.json');
  for (;;) {
    if (tryToClaim(file)) return openRunFile(file);
    const text = readText(file);
    const earlier = parseRecord(text);
    if (earlier && isProcessAlive(earlier.launcher))
      throw inUseError(dataDir, earlier.launcher.pid);
    await stopAll(earlier?.children ?? []);
    removeIfUnchanged(file, text);
  }
}

/** Returns the pid of the launcher that is using a data folder, if any, even while its stack starts or stops. */
export function findLauncher(dataDir: string): number | undefined {
  const record = parseRecord(readText(join(dataDir, 'run.json')));
  return record && isProcessAlive(record.launcher) ? record.launcher.pid : undefined;
}

function tryToClaim(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  try {
    writeRecord(draft, { launcher: describeProcess('launcher', process.pid), children: [] });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function openRunFile(file: string): RunFile {
  const launcher = describeProcess('launcher', process.pid);
  const children = new Map<number, RecordedProcess>();
  let isReleased = false;
  const save = (): void => {
    if (isReleased) return;
    writeRecord(`${file}.next`, { launcher, children: [...children.values()] });
    renameSync(`${file}.next`, file);
  };
  return {
    record({ name, pid }) {
      children.set(pid, describeProcess(name, pid));
      save();
    },
    forget(pid) {
      if (children.delete(pid)) save();
    },
    release() {
      isReleased = true;
      rmSync(file, { force: true });
    },
  };
}

function writeRecord(file: string, record: RunRecord): void {
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

function describeProcess(name: string, pid: number): RecordedProcess {
  return { name, pid, start: processStartTime(pid) ?? '' };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parseRecord(text: string): RunRecord | undefined {
  try {
    return JSON.parse(text) as RunRecord;
  } catch {
    return undefined;
  }
}

/**
 * Removes a stale run file. Another launcher may have replaced the file since it was read; a file that has changed is
 * put back.
 */
function removeIfUnchanged(file: string, text: string): void {
  const movedFile = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, movedFile);
    if (readText(movedFile) !== text) linkSync(movedFile, file);
  } catch {
    // Another launcher was faster; the next iteration of `claimDataDir` reads its file.
  } finally {
    rmSync(movedFile, { force: true });
  }
}

function inUseError(dataDir: string, pid: number): Error {
  return cannotStart(
    `Daycare is already running on ${dataDir} (process ${pid}); ` +
      `stop it with "daycare stop" (or "kill ${pid}"), or choose another folder with --data-dir.`,
  );
}

async function stopAll(children: readonly RecordedProcess[]): Promise<void> {
  await Promise.all(children.map((child) => stopLeftover(child)));
}

async function stopLeftover(child: RecordedProcess): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isProcessAlive(child)) return;
    process.kill(child.pid, signal);
    const exited = poll(async () => (isProcessAlive(child) ? undefined : true), {
      timeoutMs: 8_000,
      onTimeout: () =>
        cannotStart(`${child.name} (process ${child.pid}) from an earlier run is still running.`),
    });
    if (await exited.catch(() => undefined)) return;
  }
  throw cannotStart(
    `${child.name} (process ${child.pid}) from an earlier run is still running; stop it with "kill -9 ${child.pid}".`,
  );
}
