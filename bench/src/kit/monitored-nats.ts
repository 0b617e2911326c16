import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFreePort, findServer } from '@daycare/local-stack';

export interface MonitoredNats {
  /** Add this to the stack's environment. */
  readonly env: { readonly DAYCARE_NATS_SERVER: string };
  readonly monitorUrl: string;
}

/**
 * Writes a script that starts nats-server with its monitoring port open, which the stack itself leaves closed. The
 * script uses `exec`, so the server has the pid of the process that the stack starts.
 */
export async function prepareMonitoredNats(
  env: NodeJS.ProcessEnv,
  workspaceRoot: string,
  folder: string,
): Promise<MonitoredNats> {
  const found = findServer('nats', { env, workspaceRoot });
  if (found.kind === 'url')
    throw new Error('the bench starts its own NATS server and cannot use a running one');
  const port = await chooseFreePort();
  const script = join(folder, 'nats-server.sh');
  const options = `--addr 127.0.0.1 --http_port ${port}`;
  await writeFile(script, `#!/bin/sh\nexec '${found.binary.path}' "$@" ${options}\n`, {
    mode: 0o700,
  });
  return { env: { DAYCARE_NATS_SERVER: script }, monitorUrl: `http://127.0.0.1:${port}` };
}
