import type { RefreshTokenResponse } from '@daycare/contracts/identity';
import { Agent, listAgents, type Channel } from './api/agent';
import { makeFiles, type Files } from './api/files';
import { makeFriends, type Friends } from './api/friends';
import { makePermissions, type Permissions } from './api/permissions';
import { makeSubusers, type Subusers } from './api/subusers';
import { Caller } from './calls/caller';
import { isRepeatable } from './calls/repeatable';
import { makeRpcs, type Rpcs } from './calls/rpc';
import { TokenSource, type TokenOption, type Tokens } from './calls/token-source';
import { services, type CallOptions, type Transport } from './transport/transport';

export interface ConnectOptions {
  /** The gateway, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly token?: TokenOption;
  /** Called with every renewed pair of tokens; store it, the one before is used up. */
  readonly onTokens?: (tokens: Tokens) => void;
}

/** Daycare, as one user. Connects with the first call. */
export interface Daycare {
  /** The agent of a channel; the one of this client by default. */
  agent(channel?: Partial<Channel>): Agent;
  agents(options?: CallOptions): ReturnType<typeof listAgents>;
  readonly friends: Friends;
  readonly subusers: Subusers;
  readonly permissions: Permissions;
  readonly files: Files;
  /** Everything else: each RPC with its own messages. */
  readonly rpc: Rpcs;
  close(): void;
}

const defaultChannel: Channel = { connector: 'client', channelId: 'me', connectorUserId: 'me' };

export function connectBy(transport: Transport, { token, onTokens }: ConnectOptions): Daycare {
  const refresh = async (refreshToken: string) => {
    const options = { authorization: undefined };
    const answer = await transport.unary(services.identity.refreshToken, { refreshToken }, options);
    return (answer as RefreshTokenResponse).tokens;
  };
  const tokens = new TokenSource({ token, refresh, onTokens });
  const caller = new Caller(transport, tokens, isRepeatable);
  const rpc = makeRpcs(caller);
  return {
    rpc,
    agent: (channel) => new Agent({ caller, rpc }, { ...defaultChannel, ...channel }),
    agents: (options) => listAgents(rpc, options),
    friends: makeFriends(rpc),
    subusers: makeSubusers(rpc),
    permissions: makePermissions(rpc, caller),
    files: makeFiles(rpc, caller),
    close: () => caller.close(),
  };
}
