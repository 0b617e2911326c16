/** What calls are authorised with. */
export interface Authority {
  /** The value of `authorization`; undefined for a call without. */
  authorization(): Promise<string | undefined>;
  /** After a call was refused: whether it may succeed with another token, which has been fetched then. */
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
export function askedAuthority(token: () => string | Promise<string>): Authority {
  return {
    authorization: async () => `Bearer ${await token()}`,
    renewAfterRefusal: async () => true,
  };
}
