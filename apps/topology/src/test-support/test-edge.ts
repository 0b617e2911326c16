import { createId } from '@paralleldrive/cuid2';
import { Registry } from 'prom-client';
import { notFound } from '@daycare/errors';
import { connectNats } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, testNatsUrl, uniqueName } from '@daycare/testing';
import type { AskedEndpoint } from '../domain/endpoint';
import type { EndpointTarget } from '../domain/endpoint-target';
import { buildEdge, type BuiltEdge } from '../edge/build-edge';
import type { EdgeConfig } from '../edge-config';
import { defaultLimits, type EdgeLimits } from '../edge/edge-limits';
import { parseNetworks } from '../edge/visitor-address';
import { indexes, makeStores, type Stores } from '../store/open-stores';
import { makeAcceptWebhook } from '../usecases/accept-webhook';
import { makeEndpointUsecases } from '../usecases/endpoints';

const many = { perSecond: 100_000, burst: 100_000 };

export const testLimits: EdgeLimits = {
  ...defaultLimits,
  maxBodyBytes: 100_000,
  connections: 1_000,
  connectionsPerAddress: 1_000,
  connectionsPerEndpoint: 100,
  perEndpoint: many,
  perAddress: many,
  perWebhook: many,
  idleTimeoutMs: 20_000,
};

export interface Exposed {
  readonly id: string;
  /** The path at the edge, ending in a slash. */
  readonly path: string;
  readonly password: string;
}

export const nobody = new AbortController().signal;
export const livingAgent = 'agent1';

/** A database, a connection to NATS, and edges in front of them. Close it at the end. */
export class TestEdges {
  readonly #edges: BuiltEdge[] = [];
  /** Those that are alive. */
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

  /** One more replica. */
  async start(changes: Partial<EdgeConfig> = {}) {
    const config: EdgeConfig = {
      listen: '127.0.0.1:0',
      url: '',
      ports: [{ from: 1, to: 65_535 }],
      usersDir: '',
      localNetworks: parseNetworks(['127.0.0.0/8'])!,
      limits: testLimits,
      ...changes,
    };
    const registry = new Registry();
    const edge = await buildEdge(config, {
      ...this.stores,
      acceptWebhook: makeAcceptWebhook({ ...this.stores, wake: ignore, newId: createId }),
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

  #usecases({ ports, usersDir }: EdgeConfig, edge: BuiltEdge) {
    const usecases = makeEndpointUsecases({
      ...this.stores,
      checkOwnAgent: async (_, agentId) => {
        if (!this.agents.has(agentId)) throw notFound('Agent');
      },
      rules: { ports, hasEdge: true, hasHomes: usersDir !== '' },
      cutConnections: (id) => edge.cutConnections(id),
      now: () => new Date(),
      newId: createId,
    });
    const expose = async (
      target: EndpointTarget,
      wish: Partial<AskedEndpoint> = {},
      userId = 'u1',
    ): Promise<Exposed> => {
      const { endpoint, password } = await usecases.createEndpoint({
        caller: { userId },
        requestId: createId(),
        signal: nobody,
        asked: { name: 'site', target, mode: 'public', auth: 'none', ...wish },
      });
      return { id: endpoint.id, path: `/e/${endpoint.id}/`, password };
    };
    return { ...usecases, expose };
  }
}

export type TestEdge = Awaited<ReturnType<TestEdges['start']>>;

function ignore(): void {
  // Nobody looks at it.
}
