import {
  AgentRuntimeServiceService,
  AgentStrategy,
  type Agent,
} from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import type { ServiceName } from '@daycare/local-stack/lookup';
import type { RpcClient, ServiceContract } from '@daycare/rpc';
import type { Settings } from '../config';
import { CallFailure } from '../failure/call-failure';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { addressOf } from './address-of';
import { connect } from './connect';
import type { NamedContext } from './context';
import type { ContextStore } from './context-store';
import type { RequestIds } from './request-ids';
import { claimsOf } from './token-claims';
import { TokenKeeper } from './token-keeper';

const signIn = 'Sign in with "daycare login".';

export interface SessionOptions {
  readonly settings: Settings;
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly requestIds: RequestIds;
  readonly timeoutMs: number;
}

/** The services of one context, called as its user. Connections are made when they are needed. */
export class Session {
  readonly context: NamedContext;
  readonly requestIds: RequestIds;
  readonly #options: SessionOptions;
  readonly #keeper: TokenKeeper;
  readonly #clients = new Map<ServiceContract, { close(): void }>();

  constructor(options: SessionOptions) {
    this.context = options.chosen;
    this.requestIds = options.requestIds;
    this.#options = options;
    this.#keeper = new TokenKeeper({
      store: options.store,
      chosen: options.chosen,
      refresh: (refreshToken) =>
        this.asNobody(async (identity) => (await identity.refreshToken({ refreshToken })).tokens),
    });
  }

  /** Calls identity without a token, for what is proved by the request itself. */
  async asNobody<T>(use: (identity: Session['identity']) => Promise<T>): Promise<T> {
    const identity = this.#connect('identity', IdentityServiceService, async () => undefined);
    try {
      return await use(identity);
    } finally {
      identity.close();
    }
  }

  get identity(): RpcClient<typeof IdentityServiceService> {
    return this.#client('identity', IdentityServiceService);
  }

  get graph(): RpcClient<typeof SocialGraphServiceService> {
    return this.#client('social-graph', SocialGraphServiceService);
  }

  get runtime(): RpcClient<typeof AgentRuntimeServiceService> {
    return this.#client('agent-runtime', AgentRuntimeServiceService);
  }

  get topology(): RpcClient<typeof TopologyServiceService> {
    return this.#client('topology', TopologyServiceService);
  }

  /** Where a service of this context is. */
  addressOf(service: ServiceName): string {
    return addressOf(service, this.context, this.#options.settings);
  }

  /** As whom calls are made. */
  async userId(): Promise<string> {
    const userId = claimsOf(await this.#accessToken()).sub ?? this.context.context.user?.id;
    if (userId) return userId;
    const hint = this.#isTokenGiven ? 'Unset DAYCARE_TOKEN or give a new one.' : signIn;
    throw new Failure(exitCodes.refused, 'The token names no user.', hint);
  }

  /** The id that was asked for, else that of the agent the user has talked with last. */
  async agentId(wanted?: string): Promise<string> {
    return wanted ?? (await this.mostRecentAgent()).id;
  }

  async mostRecentAgent(): Promise<Agent> {
    const strategy = AgentStrategy.MOST_RECENT_FOREGROUND;
    const selector = { $case: 'strategy', value: strategy } as const;
    const { agent } = await this.runtime.getAgent({ selector }).catch((error: unknown) => {
      if (error instanceof CallFailure && error.error.code === 'NOT_FOUND') throw noAgent();
      throw error;
    });
    if (!agent) throw noAgent();
    return agent;
  }

  /** Runs a tool as an agent; its result is a JSON object. */
  async callTool<Result>(agentId: string, name: string, args: object): Promise<Result> {
    const { resultJson } = await this.runtime.callTool({
      requestId: this.requestIds.next(),
      agentId,
      name,
      argumentsJson: JSON.stringify(args),
    });
    return JSON.parse(resultJson) as Result;
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  #client<S extends ServiceContract>(service: ServiceName, contract: S): RpcClient<S> {
    const known = this.#clients.get(contract) as RpcClient<S> | undefined;
    if (known) return known;
    const authorise = async (): Promise<string> => `Bearer ${await this.#accessToken()}`;
    const client = this.#connect(service, contract, authorise, this.#isTokenGiven);
    this.#clients.set(contract, client);
    return client;
  }

  #connect<S extends ServiceContract>(
    service: ServiceName,
    contract: S,
    authorise: () => Promise<string | undefined>,
    isTokenGiven = false,
  ): RpcClient<S> {
    const { name, context } = this.context;
    return connect(contract, {
      service,
      authorise,
      isTokenGiven,
      address: this.addressOf(service),
      context: name,
      tls: context.tls,
      timeoutMs: this.#options.timeoutMs,
    });
  }

  get #isTokenGiven(): boolean {
    return this.#options.settings.token !== undefined;
  }

  async #accessToken(): Promise<string> {
    return this.#options.settings.token ?? this.#keeper.access();
  }
}

function noAgent(): Failure {
  return new Failure(
    exitCodes.notFound,
    'You have no agent to do this with yet.',
    'Write to it first, e.g. daycare agent send "hello"; or name one with --agent.',
  );
}
