import { readdir } from 'node:fs/promises';
import { currentRun, startRunServers } from './run-servers';

const needsServers = /\.(int|e2e)\.spec\.ts$/;
const skipped = new Set(['node_modules', 'dist']);

/** Starts the servers that integration tests need, unless the project has no such test. */
export default async function globalSetup({ rootDir }: { rootDir: string }): Promise<void> {
  if (!(await hasServerTests(rootDir))) return;
  endOnSignals();
  const servers = await startRunServers(process.env);
  currentRun.servers = servers;
  process.env['DAYCARE_TEST_MONGO_URL'] = servers.urls.mongo;
  process.env['DAYCARE_TEST_NATS_URL'] = servers.urls.nats;
}

async function hasServerTests(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && needsServers.test(entry.name)) return true;
    if (!entry.isDirectory() || skipped.has(entry.name)) continue;
    if (await hasServerTests(`${folder}/${entry.name}`)) return true;
  }
  return false;
}

/** A plain death by signal would skip the exit hook that kills the servers. */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130));
  }
}
