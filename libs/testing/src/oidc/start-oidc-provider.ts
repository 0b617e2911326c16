import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface OidcClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
  /** With `native`, a redirect URI on this machine may have any port. */
  readonly application_type?: 'web' | 'native';
}

export interface TestOidcProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/**
 * Starts a real OpenID Connect provider on a free port. It signs in the user whom `login_hint` names, or `ada`, without
 * asking. It runs in a separate thread, because its packages are ES modules, which Jest does not load.
 */
export async function startOidcProvider(clients: readonly OidcClient[]): Promise<TestOidcProvider> {
  // The worker's output is discarded, because it consists of warnings about settings that only production needs.
  const quiet = { stdout: true, stderr: true };
  const file = join(__dirname, 'provider-worker.mjs');
  const worker = new Worker(file, { workerData: { clients }, ...quiet });
  const [{ issuer }] = (await once(worker, 'message')) as [{ issuer: string }];
  return {
    issuer,
    stop: async () => {
      await worker.terminate();
    },
  };
}
