import { createId } from '@daycare/api/create-id';
import { Registry } from 'prom-client';
import { notFound } from '@daycare/api';
import { SystemMessage } from '@daycare/contracts/common';
import { connectNats } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, testNatsUrl, uniqueName } from '@daycare/testing';
import type { EndpointRequest } from '../domain/endpoints/endpoint';
import type { EndpointTarget } from '../domain/endpoints/endpoint-target';
import { buildEdge, type BuiltEdge } from '../edge/server/build-edge';
import type { EdgeConfig } from '../edge/server/edge-config';
import { fixedLimits, type EdgeLimits } from '../edge/edge-limits';
import { indexes, makeStores, type Stores } from '../store/open-stores';
import { makeAcceptWebhook } from '../usecases/endpoints/accept-webhook';
import { makeChangeChannel } from '../usecases/channels/change-channel';
import { makeConfirmAlive, makeEndAgent } from '../usecases/ending/end-agent';
import { SecretBox } from '../usecases/endpoints/secret-box';
import { makeEndpointUsecases } from '../usecases/endpoints/endpoint-usecases';

const unlimitedRate = { perSecond: 100_000, burst: 100_000 };

export const testLimits: EdgeLimits = {
  ...fixedLimits,
  maxBodyBytes: 100_000,
  connections: 1_000,
  connectionsPerAddress: 1_000,
  connectionsPerEndpoint: 100,
  perEndpoint: unlimitedRate,
  perAddress: unlimitedRate,
  perWebhook: unlimitedRate,
  idleTimeoutMs: 20_000,
};

export interface ExposedEndpoint {
  readonly id: string;
  /** The path at the edge, ending in a slash. */
  readonly path: string;
  readonly password: string;
  readonly secret: string;
}

/** Changes to the default configuration of a test edge. */
export interface EdgeChanges extends Partial<Omit<EdgeConfig, 'limits'>> {
  readonly limits?: Partial<EdgeLimits>;
}

export const neverAborted = new AbortController().signal;
export const livingAgent = 'agent1';

/** A database, a NATS connection, and edges in front of them. Close it at the end. */
export class TestEdges {
  readonly #edges: BuiltEdge[] = [];
  /** The agents that are alive. */
  readonly agents = new Set([livingAgent]);

  private constructor(
    readonly mongo: MongoConnection,
    readonly stores: Stores,
    private readonly nats: Awaited<ReturnType<typeof connectNats>>,
    private readonly natsPrefix = uniqueName('edge'),
  ) {}

  static async open(): Promise<TestEdges> {
    const mongo = await testDatabase('topology');
    await ensureIndexes(mongo.db, indexes);
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const nats = await connectNats({ url: testNatsUrl(), name: 'edge-test', logger: log });
    return new TestEdges(mongo, makeStores(mongo, 'topology'), nats);
  }

  /** Returns the messages that webhooks have put into the outbox, in order. */
  async acceptedMessages(): Promise<SystemMessage[]> {
    const rows = await this.#outbox().find().sort({ seq: 1 }).toArray();
    return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
  }

  async clearOutbox(): Promise<void> {
    await this.#outbox().deleteMany({});
  }

  #outbox() {
    return this.mongo.db.collection<{ _id: string; payload: { buffer: Buffer } }>('outbox');
  }

  /** Starts another replica of the edge. */
  async start({ limits, ...changes }: EdgeChanges = {}) {
    const config: EdgeConfig = {
      listen: '127.0.0.1:0',
      url: '',
      ports: [{ from: 1, to: 65_535 }],
      usersDir: '',
      secretKey: 'a key for tests only',
      localNetworks: [{ address: '127.0.0.0', prefix: 8 }],
      trustedProxies: [],
      limits: { ...testLimits, ...limits },
      ...changes,
    };
    const registry = new Registry();
    const edge = await buildEdge(config, {
      ...this.stores,
      secrets: new SecretBox(config.secretKey),
      acceptWebhook: makeAcceptWebhook({ ...this.stores, newId: createId }),
      connection: this.nats.connection,
      natsPrefix: this.natsPrefix,
      registry,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    this.#edges.push(edge);
    return {
      edge,
      registry,
      port: Number(edge.address.split(':')[1]),
      ...this.#usecases(config, edge),
    };
  }

  async close(): Promise<void> {
    for (const edge of this.#edges) {
      edge.stopAccepting();
      await edge.drain(0);
    }
    await this.nats.close();
    await this.mongo.close();
  }

  #usecases({ ports, usersDir, secretKey }: EdgeConfig, edge: BuiltEdge) {
    const now = (): Date => new Date();
    const closeConnections = (id: string): void => edge.closeConnections(id);
    const changeChannel = makeChangeChannel({ ...this.stores, now });
    const ending = { closeConnections, changeChannel, hint: ignore, now };
    const endAgent = makeEndAgent({ ...this.stores, ...ending });
    const usecases = makeEndpointUsecases({
      ...this.stores,
      secrets: new SecretBox(secretKey),
      confirmAlive: makeConfirmAlive(this.stores.endedAgents, endAgent),
      checkOwnAgent: async (_, agentId) => {
        if (!this.agents.has(agentId)) throw notFound('agent');
      },
      rules: { ports, hasEdge: true, hasHomes: usersDir !== '' },
      closeConnections,
      now,
      newId: createId,
    });
    const expose = async (
      target: EndpointTarget,
      changes: Partial<EndpointRequest> = {},
      userId = 'u1',
    ): Promise<ExposedEndpoint> => {
      const { endpoint, password, secret } = await usecases.createEndpoint({
        caller: { userId },
        requestId: createId(),
        signal: neverAborted,
        request: { name: 'site', target, mode: 'public', auth: 'none', ...changes },
      });
      return { id: endpoint.id, path: `/e/${endpoint.id}/`, password, secret };
    };
    return { ...usecases, endAgent, expose };
  }
}

export type TestEdge = Awaited<ReturnType<TestEdges['start']>>;

function ignore(): void {
  // Tests do not read the log.
}
