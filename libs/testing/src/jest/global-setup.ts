import { readdir } from 'node:fs/promises';
import { brokerVariable } from '../stack/lease-test-stack';
import { warmCodeCaches } from '../stack/warm-code-caches';
import { startStackBroker } from '../stack/stack-broker';
import { currentRun, startRunServers } from './run-servers';

const skipped = new Set(['node_modules', 'dist']);

/** Starts what the tests of a project need: servers for integration tests, shared stacks for stories. */
export default async function globalSetup({ rootDir }: { rootDir: string }): Promise<void> {
  if (!(await hasFiles(rootDir, /\.(int|e2e)\.spec\.ts$/))) return;
  endOnSignals();
  const servers = await startRunServers(process.env);
  currentRun.parts.push(servers);
  process.env['DAYCARE_TEST_MONGO_URL'] = servers.urls.mongo;
  process.env['DAYCARE_TEST_NATS_URL'] = servers.urls.nats;
  if (servers.natsPasswords)
    process.env['DAYCARE_TEST_NATS_PASSWORDS'] = JSON.stringify(servers.natsPasswords);
  if (!(await hasFiles(rootDir, /\.e2e\.spec\.ts$/))) return;
  // A service that cannot start must fail only the stories that need it, not the run.
  await warmCodeCaches().catch((error: unknown) => {
    process.stderr.write(
      `could not start the services once to warm up their code caches; each start will take longer: ${String(error)}\n`,
    );
  });
  const broker = await startStackBroker();
  currentRun.parts.push(broker);
  process.env[brokerVariable] = broker.url;
}

async function hasFiles(folder: string, pattern: RegExp): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && pattern.test(entry.name)) return true;
    if (!entry.isDirectory() || skipped.has(entry.name)) continue;
    if (await hasFiles(`${folder}/${entry.name}`, pattern)) return true;
  }
  return false;
}

/** Without this, a signal would end the process without running the exit hook that kills the servers. */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130));
  }
}
