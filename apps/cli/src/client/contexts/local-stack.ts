import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findWorkspaceRoot, readStackFile, type StackRecord } from '@daycare/local-stack/lookup';
import type { Addresses } from './context';

/** A stack that is running on this machine. */
export interface FoundStack {
  readonly dataDir: string;
  readonly addresses: Addresses;
  /** The address of topology's HTTP edge. */
  readonly edgeAddress: string | undefined;
  /** Reads the admin's `authorization` header; undefined if the file is missing or this user may not read it. */
  readonly readAdminAuthorization: () => string | undefined;
}

/** Finds the stack running in a data folder, by default the folder that `npm start` uses. */
export function findLocalStack(dataDir = defaultDataDir()): FoundStack | undefined {
  const record = dataDir === undefined ? undefined : readStackFile(resolve(dataDir));
  if (dataDir === undefined || !record) return undefined;
  return {
    dataDir: resolve(dataDir),
    addresses: addressesOf(record),
    edgeAddress: record.services.find(({ edgeAddress }) => edgeAddress)?.edgeAddress,
    readAdminAuthorization: () => readHeader(join(dataDir, record.adminHeader)),
  };
}

/** Reads the value of the `authorization: …` line in a file; undefined if that fails. */
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

/** Undefined when the command is installed outside the repository. */
function defaultDataDir(): string | undefined {
  try {
    return join(findWorkspaceRoot(__dirname), '.daycare');
  } catch {
    return undefined;
  }
}
