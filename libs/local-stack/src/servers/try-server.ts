import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cannotStart, reasonOf } from '../cannot-start';
import { checkExternalServer } from './external-server';
import type { FoundServer, ServerKind } from './find-server';
import { makeMongodRunnable } from './packaged-mongod';

const timeoutMs = 10_000;
const programs: Readonly<Record<ServerKind, string>> = { mongo: 'mongod', nats: 'nats-server' };

export interface TryOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Takes what the packaged mongod needs when nothing can be written next to it. */
  readonly scratchDir: string;
}

/**
 * Finds out whether a server that was found can be used at all, without starting it: its program is
 * asked for its version, a server that runs elsewhere is asked over the network. Throws a sentence.
 */
export async function tryServer(
  kind: ServerKind,
  found: FoundServer,
  { env, scratchDir }: TryOptions,
): Promise<string> {
  if (found.kind === 'url') return checkExternalServer(kind, found.url);
  const { binary } = found;
  try {
    const program =
      kind === 'mongo' ? makeMongodRunnable(binary, env, scratchDir) : { path: binary.path, env };
    const options = { env: program.env, timeout: timeoutMs };
    const { stdout } = await promisify(execFile)(program.path, ['--version'], options);
    return /v?(\d+\.\d+[\w.-]*)/.exec(stdout)?.[1] ?? 'of an unknown version';
  } catch (error) {
    const [reason] = reasonOf(error).split('\n').slice(-1);
    throw cannotStart(
      `${programs[kind]} at ${binary.path} does not run (${reason ?? ''}); install another or name one in the environment.`,
      error,
    );
  }
}
