/** Provides the `authorization` with which calls are made. */
export interface Authority {
  /** The value of `authorization`; undefined for a call without one. */
  authorization(): Promise<string | undefined>;
  /**
   * Called with a refused call's `authorization`: fetches another token if possible. Returns whether it is worth
   * retrying the call.
   */
  renewAfterRefusal(refused: string | undefined): Promise<boolean>;
}

/** Uses the same `authorization` for every call, or none. */
export function fixedAuthority(authorization?: string): Authority {
  return {
    authorization: async () => authorization,
    renewAfterRefusal: async () => false,
  };
}

/** Uses a token that the program itself provides for every call. */
export function callbackAuthority(token: () => string | Promise<string>): Authority {
  return {
    authorization: async () => `Bearer ${await token()}`,
    renewAfterRefusal: async () => true,
  };
}
