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
import { addressOf } from './contexts/address-of';
import { connect } from './rpc/connect';
import type { NamedContext } from './contexts/context';
import type { ContextStore } from './contexts/context-store';
import type { RequestIds } from './rpc/request-ids';
import { claimsOf } from './auth/token-claims';
import { AccessTokenSource } from './auth/access-token-source';
import { ClientTokenSource } from './auth/client-token-source';
import { isPersonalToken, renewTokens } from './auth/personal-token';

const signIn = 'Sign in with "daycare login".';

export interface SessionOptions {
  readonly settings: Settings;
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly requestIds: RequestIds;
  readonly timeoutMs: number;
}

/** The services of one context, called as its user. Connects to each on first use. */
export class Session {
  readonly context: NamedContext;
  readonly requestIds: RequestIds;
  readonly #options: SessionOptions;
  readonly #tokenSource: AccessTokenSource;
  /** Exchanges the personal access token in DAYCARE_TOKEN. */
  #personal: ClientTokenSource | undefined;
  readonly #clients = new Map<ServiceContract, { close(): void }>();

  constructor(options: SessionOptions) {
    this.context = options.chosen;
    this.requestIds = options.requestIds;
    this.#options = options;
    this.#tokenSource = new AccessTokenSource({
      store: options.store,
      chosen: options.chosen,
      refresh: (refreshToken) =>
        this.unauthenticated((identity) => renewTokens(identity, refreshToken)),
    });
  }

  /** Calls identity without a token, for requests that carry their own proof. */
  async unauthenticated<T>(use: (identity: Session['identity']) => Promise<T>): Promise<T> {
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

  /** The address of a service in this context. */
  addressOf(service: ServiceName): string {
    return addressOf(service, this.context, this.#options.settings);
  }

  /** The user on whose behalf calls are made. */
  async userId(): Promise<string> {
    const userId = claimsOf(await this.#accessToken()).sub ?? this.context.context.user?.id;
    if (userId) return userId;
    const hint = this.#isTokenGiven ? 'Unset DAYCARE_TOKEN or set a new one.' : signIn;
    throw new Failure(exitCodes.refused, 'The token names no user.', hint);
  }

  /** The given id, else that of the agent the user last talked to. */
  async agentId(id?: string): Promise<string> {
    return id ?? (await this.mostRecentAgent()).id;
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

  /** Runs a tool as an agent; the result is a JSON object. */
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
    const { token } = this.#options.settings;
    if (token === undefined) return this.#tokenSource.access();
    if (!isPersonalToken(token)) return token;
    this.#personal ??= new ClientTokenSource(() =>
      this.unauthenticated((identity) => renewTokens(identity, token)),
    );
    return (await this.#personal.authorise()).slice('Bearer '.length);
  }
}

function noAgent(): Failure {
  return new Failure(
    exitCodes.notFound,
    'You have no agent yet.',
    'Create one by sending a message, e.g. daycare agent send "hello", or choose one with --agent.',
  );
}
