import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cannotStart, reasonOf } from '../process/cannot-start';
import { checkExternalServer } from './external-server';
import type { FoundServer, ServerKind } from './find-server';
import { makeMongodRunnable } from './packaged-mongod';

const timeoutMs = 10_000;
const programs: Readonly<Record<ServerKind, string>> = { mongo: 'mongod', nats: 'nats-server' };

export interface TryOptions {
  readonly env: NodeJS.ProcessEnv;
  /** For files that the packaged mongod needs, if its own folder is not writable. */
  readonly scratchDir: string;
}

/**
 * Returns a server's version, which shows that the server can be used. A program is run with `--version`, which does
 * not start the server; a server that is already running is asked over the network. Throws if there is no answer.
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
      `${programs[kind]} at ${binary.path} does not run (${reason ?? ''}); install another one or set its path in the environment.`,
      error,
    );
  }
}
