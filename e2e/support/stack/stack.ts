import type { Db } from 'mongodb';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { appNames, serviceNames, type ServiceName } from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import { createRpcClient, type RpcClient, type ServiceContract } from '@daycare/rpc';
import {
  leaseTestStack,
  startTestStack,
  type TestStack,
  type TestStackOptions,
} from '@daycare/testing';
import type { Clients } from '../clients/clients';
import { Agents } from '../people/agents';
import { People } from '../people/people';

/** Running services, with clients, people and agents for stories. */
export interface Stack extends TestStack, Clients {
  readonly people: People;
  readonly agents: Agents;
  /** Returns a service's database. */
  readonly db: (service: ServiceName) => Db;
}

export interface StackOptions extends Omit<TestStackOptions, 'services'> {
  /** All but the gateway by default. */
  readonly services?: TestStackOptions['services'];
  /** The deadline of calls, by default ten seconds. */
  readonly timeoutMs?: number;
}

/** The services for stories that do not need topology. */
export const agentServices = ['identity', 'social-graph', 'agent-runtime'] as const;

/** The services for stories that need neither friends nor topology. Notices to social-graph stay in outboxes. */
export const soloAgentServices = ['identity', 'agent-runtime'] as const;

const unlimited = '1000000';

/** Lifts the limits on users and callers, and has messages published again if no receipt arrives within a second. */
const storyEnv: NodeJS.ProcessEnv = {
  DAYCARE_REPUBLISH_AFTER_MS: '1000',
  DAYCARE_RATE_BURST: unlimited,
  DAYCARE_RATE_PER_SECOND: unlimited,
  DAYCARE_GATEWAY_RATE_BURST: unlimited,
  DAYCARE_GATEWAY_RATE_PER_SECOND: unlimited,
  DAYCARE_MAX_STREAMS_PER_USER: unlimited,
  DAYCARE_FRIEND_REQUESTS_PER_HOUR: unlimited,
  DAYCARE_FRIEND_REQUESTS_PENDING: unlimited,
  DAYCARE_MESSAGES_PER_HOUR: unlimited,
  DAYCARE_MESSAGES_WAITING: unlimited,
  DAYCARE_SHARE_OFFERS_PER_HOUR: unlimited,
  DAYCARE_NOT_FOUND_PER_MINUTE: unlimited,
  DAYCARE_BLOCKS_PER_HOUR: unlimited,
  DAYCARE_GUEST_TURNS_PER_HOUR: unlimited,
  DAYCARE_VAULT_KEY: 'a key for stories only',
};

const sharedOptions: TestStackOptions = {
  services: appNames,
  replicas: { 'agent-runtime': 2 },
  env: storyEnv,
  envOf: { topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' } },
};

/** Starts services for one story; `env` is added to the standard environment of stories. */
export async function startStack({ timeoutMs, ...options }: StackOptions = {}): Promise<Stack> {
  const stack = await startTestStack(withStoryEnv(options));
  return openStack(stack, timeoutMs);
}

/** Opens the stack that stories share: all services and the gateway, with two replicas of agent-runtime. */
export async function leaseStack(timeoutMs?: number): Promise<Stack> {
  return openStack(await leaseTestStack(sharedOptions), timeoutMs);
}

export function withStoryEnv(options: Omit<StackOptions, 'timeoutMs'>): TestStackOptions {
  return { services: serviceNames, ...options, env: { ...storyEnv, ...options.env } };
}

/** Connects to running services; stopping the result stops them too. */
export async function openStack(stack: TestStack, timeoutMs = 10_000): Promise<Stack> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf('agent-runtime'),
    appName: 'daycare-test',
  });
  const connections: { close(): void }[] = [];
  const connect = <T extends ServiceContract>(contract: T, service: ServiceName): RpcClient<T>[] =>
    Array.from({ length: stack.replicasOf(service) }, (_, replica) => {
      const address = stack.addressOf(service, replica);
      const client = createRpcClient(contract, { address, timeoutMs });
      connections.push(client);
      return client;
    });
  const clients = withFirst({
    identities: connect(IdentityServiceService, 'identity'),
    graphs: connect(SocialGraphServiceService, 'social-graph'),
    runtimes: connect(AgentRuntimeServiceService, 'agent-runtime'),
    topologies: connect(TopologyServiceService, 'topology'),
  });
  const people = new People(stack, clients);
  return Object.assign(clients, stack, {
    people,
    agents: new Agents(stack, clients, people),
    db: (service: ServiceName) => mongo.client.db(stack.databaseOf(service)),
    async stop() {
      for (const client of [people, ...connections]) client.close();
      await mongo.close();
      await stack.stop();
    },
  });
}

type Replicated = Pick<Clients, 'identities' | 'graphs' | 'runtimes' | 'topologies'>;

function withFirst(all: Replicated): Clients {
  return {
    ...all,
    get identity() {
      return present(all.identities[0]);
    },
    get graph() {
      return present(all.graphs[0]);
    },
    get runtime() {
      return present(all.runtimes[0]);
    },
    get topology() {
      return present(all.topologies[0]);
    },
    get otherRuntime() {
      return present(all.runtimes[1]);
    },
  };
}

function present<T>(client: T | undefined): T {
  if (client === undefined)
    throw new Error('the replica that the story calls is not part of this stack');
  return client;
}
