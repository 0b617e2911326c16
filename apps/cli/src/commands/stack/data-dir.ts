import { join, resolve } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack/lookup';
import type { NamedContext } from '../../client/contexts/context';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

export const dataDirOption = [
  '--data-dir <folder>',
  "data folder of the stack (default: the context's, else .daycare)",
] as const;

/** Finds the data folder of the local stack that a command works on. */
export async function findDataDir(
  requested: string | undefined,
  chosen: () => Promise<NamedContext>,
): Promise<string> {
  if (requested !== undefined) return resolve(requested);
  const stack = await chosen().then(
    ({ context }) => context.stack,
    () => undefined,
  );
  return stack ?? defaultDataDir();
}

function defaultDataDir(): string {
  try {
    return join(findWorkspaceRoot(__dirname), '.daycare');
  } catch {
    throw new Failure(
      exitCodes.usage,
      'No local stack was found: the context does not name one.',
      'Pass the data folder of a local stack with --data-dir.',
    );
  }
}
