import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findWorkspaceRoot, readStackFile, type StackRecord } from '@daycare/local-stack/lookup';
import type { Addresses } from './context';

/** A stack that runs on this machine. */
export interface FoundStack {
  readonly dataDir: string;
  readonly addresses: Addresses;
  /** The value of `authorization` by which its admin is known; undefined when it is not for us to read. */
  readonly readAdminAuthorization: () => string | undefined;
}

/** Finds the stack that runs on a data folder, by default that of `npm start`. */
export function findLocalStack(dataDir = defaultDataDir()): FoundStack | undefined {
  const record = dataDir === undefined ? undefined : readStackFile(resolve(dataDir));
  if (dataDir === undefined || !record) return undefined;
  return {
    dataDir: resolve(dataDir),
    addresses: addressesOf(record),
    readAdminAuthorization: () => readHeader(join(dataDir, record.adminHeader)),
  };
}

/** The value in a file that holds `authorization: …`; undefined when it does not. */
export function readHeader(file: string): string | undefined {
  try {
    return /^authorization: (.+)$/im.exec(readFileSync(file, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function addressesOf({ services }: StackRecord): Addresses {
  return Object.fromEntries(services.map(({ name, grpcAddress }) => [name, grpcAddress]));
}

/** None for a command that was installed outside the repository. */
function defaultDataDir(): string | undefined {
  try {
    return join(findWorkspaceRoot(__dirname), '.daycare');
  } catch {
    return undefined;
  }
}
