/** Provides the `authorization` with which calls are made. */
export interface Authority {
  /** The value of `authorization`; undefined for a call without one. */
  authorization(): Promise<string | undefined>;
  /**
   * Called with the `authorization` of a call that was refused: fetches another token if possible. Returns
   * whether it is worth repeating the call.
   */
  renewAfterRefusal(refused: string | undefined): Promise<boolean>;
}

/** The same `authorization` for every call, or none. */
export function fixedAuthority(authorization?: string): Authority {
  return {
    authorization: async () => authorization,
    renewAfterRefusal: async () => false,
  };
}

/** A token that the program itself provides for every call. */
export function callbackAuthority(token: () => string | Promise<string>): Authority {
  return {
    authorization: async () => `Bearer ${await token()}`,
    renewAfterRefusal: async () => true,
  };
}
