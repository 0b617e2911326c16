import type { TokenPair } from '@daycare/contracts/identity';
import { expiryOf } from './token-claims';

/** Renew a token this long before it expires: clocks differ, and calls take time. */
const marginMs = 30_000;

interface Issued {
  readonly authorization: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** Provides the token that a client's credential is exchanged for; a new one when it expires or was refused. */
export class ClientTokenSource {
  #issued: Issued | undefined;

  constructor(
    private readonly issue: () => Promise<TokenPair | undefined>,
    private readonly now: () => number = Date.now,
  ) {}

  /** `refused`: the authorization that a service has just refused. */
  async authorise(refused?: string): Promise<string> {
    if (!this.#issued || !this.#isUsable(this.#issued, refused)) this.#issued = await this.#renew();
    return this.#issued.authorization;
  }

  /** If even a new token is refused, so would be the next. */
  #isUsable({ authorization, issuedAtMs, expiresAtMs }: Issued, refused?: string): boolean {
    const nowMs = this.now();
    if (nowMs - issuedAtMs < marginMs) return true;
    return authorization !== refused && expiresAtMs - nowMs > marginMs;
  }

  async #renew(): Promise<Issued> {
    const issuedAtMs = this.now();
    const pair = await this.issue();
    if (!pair) throw new Error('identity returned no token');
    const { accessToken, accessExpiresAt } = pair;
    const expiresAtMs = accessExpiresAt?.getTime() ?? expiryOf(accessToken);
    return { authorization: `Bearer ${accessToken}`, issuedAtMs, expiresAtMs };
  }
}
