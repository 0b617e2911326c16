import { bundlePath, findWorkspaceRoot, serviceNames, shardDatabases } from '@daycare/local-stack';
import type { AppName } from '@daycare/local-stack';

/** Reports whether stories run on a sharded MongoDB; see CONTRIBUTING.md. */
export function isClusterRun(env: NodeJS.ProcessEnv): boolean {
  return env['DAYCARE_TEST_CLUSTER'] === '1';
}

/** Shards a stack's databases. */
export async function shardStack(
  adminUrl: string,
  services: readonly AppName[],
  databaseOf: (name: AppName) => string,
): Promise<void> {
  const root = findWorkspaceRoot(__dirname);
  const databases = serviceNames
    .filter((name) => services.includes(name))
    .map((service) => ({
      service,
      database: databaseOf(service),
      bundle: bundlePath(root, service),
    }));
  await shardDatabases(adminUrl, databases);
}
