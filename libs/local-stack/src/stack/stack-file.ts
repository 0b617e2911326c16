import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminHeaderFile } from '../credentials/credentials-file';
import { processStartTime } from '../process/process-identity';
import type { ServiceAddress } from './local-stack-options';

/**
 * The file in the data folder with the services' addresses; it is written once the stack is ready and removed when the
 * stack stops.
 */
export const stackFile = 'stack.json';

/** A running stack as other programs on the machine see it. */
export interface StackRecord {
  readonly launcher: { readonly pid: number; readonly start: string };
  readonly services: readonly ServiceAddress[];
  /** The file with the admin's authorization header, relative to the data folder. */
  readonly adminHeader: string;
}

/** Publishes this process's stack to other programs. */
export function writeStackFile(dataDir: string, services: readonly ServiceAddress[]): void {
  const launcher = { pid: process.pid, start: processStartTime(process.pid) ?? '' };
  const record: StackRecord = { launcher, services, adminHeader: adminHeaderFile };
  const file = join(dataDir, stackFile);
  writeFileSync(`${file}.next`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.next`, file);
}

/**
 * Reads which stack is running on this data folder; undefined when there is none or its launcher has crashed.
 */
export function readStackFile(dataDir: string): StackRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(dataDir, stackFile), 'utf8')) as StackRecord;
    const { pid, start } = record.launcher;
    return processStartTime(pid) === start ? record : undefined;
  } catch {
    return undefined;
  }
}

export function removeStackFile(dataDir: string): void {
  rmSync(join(dataDir, stackFile), { force: true });
}
