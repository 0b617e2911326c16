import { AppError } from '@daycare/api';
import type { IdentityServiceService, TokenPair } from '@daycare/contracts/identity';
import { forwardedKey, type CallOptions, type RpcClient } from '@daycare/rpc';

export type IdentityClient = RpcClient<typeof IdentityServiceService>;

/**
 * The calls with which the gateway signs browsers in and out, renews their tokens, and exchanges personal access
 * tokens. Each carries the client's address, so that identity applies its limits per address to the client, not to the
 * gateway.
 */
export class IdentityCalls {
  constructor(private readonly client: IdentityClient) {}

  async refresh(refreshToken: string, address: string): Promise<TokenPair> {
    return tokensOf(await this.client.refreshToken({ refreshToken }, from(address)));
  }

  async exchange(secret: string, address: string): Promise<TokenPair> {
    return tokensOf(await this.client.exchangeAccessToken({ secret }, from(address)));
  }

  async signInWithCode(code: string, address: string): Promise<TokenPair> {
    return tokensOf(await this.client.exchangeSignInCode({ code }, from(address)));
  }

  async listProviders(address: string): Promise<readonly string[]> {
    return (await this.client.listSignInProviders({}, from(address))).providers;
  }

  begin(provider: string, redirectUri: string, address: string) {
    return this.client.beginSignIn({ provider, redirectUri }, from(address));
  }

  async complete(query: string, browserSecret: string, address: string): Promise<TokenPair> {
    return tokensOf(await this.client.completeSignIn({ query, browserSecret }, from(address)));
  }

  async revoke(token: string, address: string): Promise<void> {
    await this.client.revokeToken({ token }, from(address));
  }
}

function from(address: string): CallOptions {
  return { metadata: { [forwardedKey]: address } };
}

function tokensOf({ tokens }: { tokens?: TokenPair | undefined }): TokenPair {
  if (tokens) return tokens;
  throw new AppError('UNAVAILABLE', 'identity returned no token; try again');
}
