import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@daycare/contracts/access';
import {
  createNatsPasswords,
  findServer,
  findWorkspaceRoot,
  planNatsCluster,
  withNatsUser,
  type ClusterNode,
  type NatsCluster,
  type RunningServer,
} from '@daycare/local-stack';

/** Three NATS servers for one test, which may kill them. */
export class TestNatsCluster {
  readonly #running = new Map<string, RunningServer>();

  private constructor(
    private readonly cluster: NatsCluster,
    private readonly folder: string,
    private readonly passwords: ReturnType<typeof createNatsPasswords>,
  ) {}

  static async start(): Promise<TestNatsCluster> {
    const { DAYCARE_NATS_URL: _, ...env } = process.env;
    const found = findServer('nats', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
    if (found.kind !== 'binary') throw new Error('nats-server not found');
    const dataDir = await mkdtemp(join(tmpdir(), 'daycare-nats-cluster-'));
    const passwords = createNatsPasswords();
    const access = { passwords, prefix: '*' };
    const cluster = await planNatsCluster({ binary: found.binary, env, dataDir, access });
    const started = new TestNatsCluster(cluster, dataDir, passwords);
    await Promise.all(cluster.nodes.map((node) => started.#start(node)));
    await cluster.ready();
    return started;
  }

  /** The addresses of all members, with the credentials of a service. */
  urlOf(service: ServiceName): string {
    return withNatsUser(this.cluster.url, service, this.passwords);
  }

  async kill(name: string): Promise<void> {
    const server = this.#running.get(name);
    server?.kill('SIGKILL');
    await server?.exited;
  }

  /** Starts a member that was killed. */
  async restart(name: string): Promise<void> {
    const node = this.cluster.nodes.find((candidate) => candidate.name === name);
    if (node) await this.#start(node);
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#running.values()].map((server) => server.stop(2_000)));
    await rm(this.folder, { recursive: true, force: true });
  }

  async #start(node: ClusterNode): Promise<void> {
    this.#running.set(node.name, await node.start());
  }
}
