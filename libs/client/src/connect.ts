import type { TokenPair } from '@daycare/contracts/identity';
import { Agent, listAgents, type Channel } from './api/agent';
import { makeFiles, type Files } from './api/files';
import { makeFriends, type Friends } from './api/friends';
import { makePermissions, type Permissions } from './api/permissions';
import { makeSubusers, type Subusers } from './api/subusers';
import { makeWatches, type Watches } from './api/watches';
import { callbackAuthority, type Authority } from './calls/authority';
import { Caller, type CallerOptions } from './calls/caller';
import { renewTokens, toTokens } from './calls/renew-tokens';
import { isRetryable } from './calls/retryable';
import { makeRpcs, type Rpcs } from './calls/rpc';
import { inMemoryStore, TokenSource, type Tokens } from './calls/token-source';
import type { CallOptions, Transport } from './transport/transport';

/**
 * A personal access token or an access token, a pair that is renewed, or a function that returns a valid
 * token.
 */
export type TokenOption = string | Tokens | (() => string | Promise<string>);

export interface ConnectOptions {
  /** The gateway, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly token?: TokenOption;
  /** Called with every renewed pair of tokens; store the pair, because the previous refresh token is soon refused. */
  readonly onTokens?: (tokens: Tokens) => void;
}

/** Daycare as one user sees it. The first call opens the connection. */
export interface Daycare {
  /** The agent of a channel; by default of the channel `me` of the connector `client`. */
  agent(channel?: Partial<Channel>): Agent;
  agents(options?: CallOptions): ReturnType<typeof listAgents>;
  readonly friends: Friends;
  readonly subusers: Subusers;
  readonly permissions: Permissions;
  readonly files: Files;
  readonly watch: Watches;
  /** Everything else: the RPCs themselves, with the messages defined in proto/. */
  readonly rpc: Rpcs;
  close(): void;
}

export interface AuthorityConnectOptions extends Pick<CallerOptions, 'timeoutMs' | 'maxAttempts'> {
  readonly transport: Transport;
  /**
   * Creates the authority for all calls; `renew` exchanges a refresh token or a personal access token for
   * tokens.
   */
  readonly authority: (renew: (token: string) => Promise<TokenPair | undefined>) => Authority;
}

const defaultChannel: Channel = { connector: 'client', channelId: 'me', connectorUserId: 'me' };

export function connectWithAuthority({
  transport,
  authority,
  ...options
}: AuthorityConnectOptions): Daycare {
  const renew = (token: string): Promise<TokenPair | undefined> => renewTokens(rpc.identity, token);
  const caller = new Caller(transport, authority(renew), { isRetryable, ...options });
  const rpc = makeRpcs(caller);
  return {
    rpc,
    agent: (channel) => new Agent({ caller, rpc }, { ...defaultChannel, ...channel }),
    agents: (options) => listAgents(rpc, options),
    friends: makeFriends(rpc),
    subusers: makeSubusers(rpc),
    permissions: makePermissions(rpc, caller),
    files: makeFiles(rpc, caller),
    watch: makeWatches(caller),
    close: () => caller.close(),
  };
}

/** Connects with the token that a program was given; without one, calls are anonymous. */
export function connectWithToken(
  transport: Transport,
  { token, onTokens }: Pick<ConnectOptions, 'token' | 'onTokens'>,
): Daycare {
  if (typeof token === 'function')
    return connectWithAuthority({ transport, authority: () => callbackAuthority(token) });
  const store = inMemoryStore(typeof token === 'string' ? { access: token } : token, onTokens);
  return connectWithAuthority({
    transport,
    authority: (renew) =>
      new TokenSource({
        store,
        renew: async (refresh) => {
          const pair = await renew(refresh);
          return pair && toTokens(pair);
        },
      }),
  });
}
