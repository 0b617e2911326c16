import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createNatsPasswords,
  findServer,
  findWorkspaceRoot,
  startNatsServer,
  type RunningServer,
} from '@daycare/local-stack';

const testPassword = 'of-a-server-for-one-test';
const access = { passwords: createNatsPasswords(), prefix: '*', testPassword };

/** A nats-server for one test, which may kill it and delete its data. */
export class TestNatsServer {
  readonly url: string;
  #running: RunningServer | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {
    this.url = `nats://test:${testPassword}@127.0.0.1:${port}`;
  }

  static async prepare(port: number): Promise<TestNatsServer> {
    return new TestNatsServer(await mkdtemp(join(tmpdir(), 'daycare-nats-')), port);
  }

  async start(): Promise<void> {
    const { port, folder: dataDir } = this;
    const { DAYCARE_NATS_URL: _, ...env } = process.env;
    const found = findServer('nats', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
    if (found.kind !== 'binary') throw new Error('nats-server not found');
    this.#running = await startNatsServer({ binary: found.binary, env, dataDir, port, access });
  }

  async kill(): Promise<void> {
    this.#running?.kill('SIGKILL');
    await this.#running?.exited;
  }

  /** Deletes everything JetStream has stored. */
  async loseStore(): Promise<void> {
    await rm(join(this.folder, 'store'), { recursive: true });
  }

  async readLog(): Promise<string> {
    return readFile(join(this.folder, 'nats-server.log'), 'utf8');
  }

  async remove(): Promise<void> {
    await this.#running?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
