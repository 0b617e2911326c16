import { isDaycareError, type Daycare, type Rpcs } from '@daycare/client';
import {
  inMemoryStore,
  isPersonalToken,
  TokenSource,
  toTokens,
  type Authority,
  type AuthorityConnectOptions,
} from '@daycare/client/kit';
import { AgentStrategy, type Agent } from '@daycare/contracts/agent-runtime';
import type { ServiceName } from '@daycare/local-stack/lookup';
import type { Settings } from '../config';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { addressOf } from './contexts/address-of';
import { connectServices } from './rpc/connect';
import type { NamedContext } from './contexts/context';
import type { ContextStore } from './contexts/context-store';
import type { RequestIds } from './rpc/request-ids';
import { claimsOf } from './auth/token-claims';
import { contextAuthority } from './auth/context-tokens';

const signInHint = 'Sign in with "daycare login".';

export interface SessionOptions {
  readonly settings: Settings;
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly requestIds: RequestIds;
  readonly timeoutMs: number;
}

/**
 * Calls a context's services as the context's user or, if DAYCARE_TOKEN is set, as the user of that token. Connects to
 * each service on first use.
 */
export class Session {
  readonly context: NamedContext;
  readonly requestIds: RequestIds;
  readonly daycare: Daycare;
  readonly #options: SessionOptions;
  #authority: Authority | undefined;

  constructor(options: SessionOptions) {
    const { chosen, requestIds, timeoutMs } = options;
    this.context = chosen;
    this.requestIds = requestIds;
    this.#options = options;
    this.daycare = connectServices({
      addressOf: (service) => this.addressOf(service),
      authority: (renew) => (this.#authority = this.#makeAuthority(renew)),
      context: chosen.name,
      tls: chosen.context.tls,
      timeoutMs,
      isTokenFromEnvironment: this.#isTokenFromEnvironment,
    });
  }

  get identity(): Rpcs['identity'] {
    return this.daycare.rpc.identity;
  }

  get graph(): Rpcs['socialGraph'] {
    return this.daycare.rpc.socialGraph;
  }

  get runtime(): Rpcs['agentRuntime'] {
    return this.daycare.rpc.agentRuntime;
  }

  get topology(): Rpcs['topology'] {
    return this.daycare.rpc.topology;
  }

  /** The address of a service in this context. */
  addressOf(service: ServiceName): string {
    return addressOf(service, this.context, this.#options.settings);
  }

  /** The id of the user on whose behalf calls are made. */
  async userId(): Promise<string> {
    const authorization = (await this.#authority?.authorization()) ?? '';
    const { sub } = claimsOf(authorization.slice('Bearer '.length));
    const userId = sub ?? this.context.context.user?.id;
    if (userId) return userId;
    const hint = this.#isTokenFromEnvironment
      ? 'Unset DAYCARE_TOKEN or set a new one.'
      : signInHint;
    throw new Failure(exitCodes.refused, 'The token does not identify a user.', hint);
  }

  /**
   * Returns the given id or, without one, the id of the agent that the user last talked to, preferring active agents.
   */
  async agentId(id?: string): Promise<string> {
    return id ?? (await this.mostRecentAgent()).id;
  }

  async mostRecentAgent(): Promise<Agent> {
    const strategy = AgentStrategy.MOST_RECENT_FOREGROUND;
    const selector = { $case: 'strategy', value: strategy } as const;
    const { agent } = await this.runtime.getAgent({ selector }).catch((error: unknown) => {
      if (isDaycareError(error, 'NOT_FOUND')) throw noAgent();
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
    this.daycare.close();
  }

  get #isTokenFromEnvironment(): boolean {
    return this.#options.settings.token !== undefined;
  }

  /** Uses DAYCARE_TOKEN if it is set (a personal access token is exchanged first), otherwise the context's tokens. */
  #makeAuthority(renew: Parameters<AuthorityConnectOptions['authority']>[0]): Authority {
    const { settings, store, chosen } = this.#options;
    const { token } = settings;
    if (token === undefined) return contextAuthority({ store, chosen, renew });
    return new TokenSource({
      store: inMemoryStore(
        isPersonalToken(token) ? { access: '', refresh: token } : { access: token },
      ),
      renew: async (refresh) => {
        const pair = await renew(refresh);
        return pair && toTokens(pair);
      },
    });
  }
}

function noAgent(): Failure {
  return new Failure(
    exitCodes.notFound,
    'You have no conversation with an agent yet.',
    'Start one by sending a message, e.g. daycare agent send "hello", or specify an agent by name or id.',
  );
}
