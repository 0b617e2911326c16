import { join, resolve } from 'node:path';
import type { Credentials } from '../credentials/credentials';
import {
  loadOrCreateCredentials,
  loadOrCreateNatsPasswords,
  loadOrCreateVaultKey,
} from '../credentials/credentials-file';
import { readEnvCredentials } from '../credentials/env-credentials';
import type { NatsPasswords } from '../credentials/nats-passwords';
import { findServer } from '../servers/find-server';
import { appNames, bundlePath, type AppName } from '../services/service-catalog';
import { startService, type RunningService } from '../services/start-service';
import { checkDataDir, checkLayout } from './check-data-dir';
import { deleteData } from './delete-data';
import { peerAddresses, planInstances, type Instance } from './instances';
import type { LocalStackOptions, ServiceAddress, StackAddresses } from './local-stack-options';
import { reportStart } from './report-start';
import { claimDataDir, type RunFile } from './run-file';
import { buildServerEnv, buildServiceEnv } from './service-env';
import { removeStackFile, writeStackFile } from './stack-file';
import { kindOf, type PartName, type StackListener } from './stack-event';
import { RunningParts } from './running-parts';
import { startServers, type Servers, type ServersOptions } from '../infra/start-servers';
import type { SupervisedProcess } from '../infra/supervised-process';

const defaultShutdownTimeoutMs = 5_000;
const stopServerMs = 15_000;

/**
 * All of Daycare on one machine: MongoDB, NATS and the services as child processes that are restarted when
 * they exit. `stop` may be called at any time, even while `start` is in progress.
 */
export class LocalStack {
  readonly #options: LocalStackOptions;
  readonly #onEvent: StackListener;
  readonly #shutdownTimeoutMs: number;
  #starting: Promise<StackAddresses> | undefined;
  #stopped: Promise<void> | undefined;
  #runFile: RunFile | undefined;
  #credentials: Credentials | undefined;
  #vaultKey = '';
  #natsPasswords: NatsPasswords | undefined;
  #parts: RunningParts | undefined;
  #instances: readonly Instance[] = [];

  constructor(options: LocalStackOptions) {
    this.#options = options;
    this.#onEvent = options.onEvent ?? (() => undefined);
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs ?? defaultShutdownTimeoutMs;
  }

  /** Resolves when everything is ready. When a part cannot start, stops all parts and throws. */
  async start(): Promise<StackAddresses> {
    this.#starting = this.#startAll();
    try {
      return await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops services first, then NATS, then MongoDB; kills any process that takes too long. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  /**
   * This stack's secrets, available after the event `credentials-created` or once the stack has started.
   */
  get credentials(): Credentials {
    if (this.#credentials) return this.#credentials;
    throw new Error('the credentials are not available before the stack starts');
  }

  /** The passwords for a NATS server that this stack has started; available as soon as the credentials are. */
  get natsPasswords(): NatsPasswords {
    if (this.#natsPasswords) return this.#natsPasswords;
    throw new Error('the passwords are not available before the stack starts');
  }

  /**
   * Returns the pid of the last process that was started for a part, even if the process has ended; undefined if there
   * was none.
   */
  pidOf(part: PartName): number | undefined {
    return this.#parts?.pidOf(part);
  }

  async #startAll(): Promise<StackAddresses> {
    const { dataDir, env, workspaceRoot, freeBytes, services, ports, cluster } = this.#options;
    const found = {
      mongo: findServer('mongo', { env, workspaceRoot }),
      nats: findServer('nats', { env, workspaceRoot }),
    };
    const given = readEnvCredentials(env);
    await checkDataDir(dataDir, freeBytes);
    this.#runFile = await claimDataDir(dataDir);
    if (this.#options.fresh) await deleteData(dataDir);
    checkLayout(dataDir, cluster ?? false);
    await this.#loadCredentials(given);
    this.#instances = await planInstances({
      names: services ?? appNames,
      configured: ports ?? {},
      replicas: cluster ? 2 : 1,
    });
    this.#parts = new RunningParts(this.#runFile, this.#onEvent);
    if (this.#stopped) this.#parts.close();
    const { mongo, nats } = await this.#startServers(found, this.#parts);
    const started = await this.#startServices({ mongo, nats }, this.#parts);
    writeStackFile(dataDir, started);
    return { mongo, nats, services: started };
  }

  async #stopAll(): Promise<void> {
    this.#parts?.close();
    const stop = async (kind: ReturnType<typeof kindOf>, graceMs: number): Promise<void> =>
      this.#parts?.stop((part) => kindOf(part) === kind, graceMs);
    await stop('service', this.#shutdownTimeoutMs + 2_000);
    await stop('nats', stopServerMs);
    await stop('mongo', stopServerMs);
    await this.#starting?.catch(() => undefined);
    await Promise.all(this.#instances.map(({ ports }) => ports.release()));
    if (this.#runFile) removeStackFile(this.#options.dataDir);
    this.#runFile?.release();
  }

  async #loadCredentials(given: Credentials | undefined): Promise<void> {
    const { credentials, isNew } = await loadOrCreateCredentials(this.#options.dataDir, given);
    this.#credentials = credentials;
    this.#vaultKey = await loadOrCreateVaultKey(this.#options.dataDir);
    this.#natsPasswords = await loadOrCreateNatsPasswords(this.#options.dataDir);
    if (isNew) this.#onEvent({ type: 'credentials-created' });
  }

  #startServers(found: ServersOptions['found'], parts: RunningParts): Promise<Servers> {
    const { dataDir, env, cluster = false } = this.#options;
    return startServers({
      found,
      dataDir,
      cluster,
      env: buildServerEnv(env),
      supervise: (part, start) => parts.supervise(part, start),
      natsPasswords: this.natsPasswords,
      bundleOf: (name) => this.#bundleOf(name),
      report: (part, start) => reportStart(part, start, this.#onEvent),
    });
  }

  #bundleOf(name: AppName): string {
    const { bundleOf, workspaceRoot } = this.#options;
    return bundleOf?.(name) ?? bundlePath(workspaceRoot, name);
  }

  async #startServices(servers: Servers, parts: RunningParts): Promise<ServiceAddress[]> {
    return Promise.all(
      this.#instances.map(async (instance) => {
        const { name, part, ports } = instance;
        await ports.open();
        const start = () => this.#superviseService(instance, servers, parts).start();
        await reportStart(part, start, this.#onEvent);
        const { grpcAddress, httpAddress, edgeAddress } = ports;
        return { name, grpcAddress, httpAddress, ...(edgeAddress && { edgeAddress }) };
      }),
    );
  }

  #superviseService(
    instance: Instance,
    servers: Servers,
    parts: RunningParts,
  ): SupervisedProcess<RunningService> {
    const { name, part } = instance;
    const { dataDir } = this.#options;
    return parts.supervise(part, (onSpawn) =>
      startService({
        name,
        onSpawn,
        bundle: this.#bundleOf(name),
        env: this.#serviceEnv(instance, servers),
        logFile: join(dataDir, 'logs', `${part}.log`),
        onLine: (line) => this.#onEvent({ type: 'line', part, line }),
      }),
    );
  }

  #serviceEnv({ name, ports }: Instance, { mongo, nats }: Servers): NodeJS.ProcessEnv {
    return buildServiceEnv({
      name,
      base: this.#options.env,
      listen: ports.grpcAddress,
      httpListen: ports.httpAddress,
      edgeListen: ports.edgeAddress,
      mongoUrl: mongo.urlOf(name),
      natsUrl: nats.urlOf(name),
      peers: peerAddresses(this.#instances),
      credentials: this.credentials,
      vaultKey: this.#vaultKey,
      usersDir: resolve(this.#options.dataDir, 'users'),
      shutdownTimeoutMs: this.#shutdownTimeoutMs,
    });
  }
}
