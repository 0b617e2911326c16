import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminHeaderFile } from '../credentials/credentials-file';
import { processStart } from '../process/process-identity';
import type { ServiceAddress } from './local-stack-options';

/** The file in the data folder that says where the services are; there while all of them are up. */
export const stackFile = 'stack.json';

/** A running stack as other programs on the machine find it. */
export interface StackRecord {
  readonly launcher: { readonly pid: number; readonly start: string };
  readonly services: readonly ServiceAddress[];
  /** The file with the header that makes a call the admin's, relative to the data folder. */
  readonly adminHeader: string;
}

/** Tells other programs of a stack that this process runs. */
export function writeStackFile(dataDir: string, services: readonly ServiceAddress[]): void {
  const launcher = { pid: process.pid, start: processStart(process.pid) ?? '' };
  const record: StackRecord = { launcher, services, adminHeader: adminHeaderFile };
  const file = join(dataDir, stackFile);
  writeFileSync(`${file}.next`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.next`, file);
}

/** The stack that runs on this data folder; undefined when there is none, also after a crash. */
export function readStackFile(dataDir: string): StackRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(dataDir, stackFile), 'utf8')) as StackRecord;
    const { pid, start } = record.launcher;
    return processStart(pid) === start ? record : undefined;
  } catch {
    return undefined;
  }
}

export function removeStackFile(dataDir: string): void {
  rmSync(join(dataDir, stackFile), { force: true });
}
