import type { AgentCall } from './agent-call';

/** A subuser of the calling agent's user, as identity knows it. */
export interface Subuser {
  readonly id: string;
  readonly name: string;
  readonly nametag: string;
}

/** The subusers of whoever calls; nobody else's can be seen or made. */
export interface Subusers {
  /** Makes a subuser, once per request id. */
  create(
    call: AgentCall,
    wish: { readonly name: string; readonly description: string },
  ): Promise<Subuser>;
  find(call: AgentCall, subuserId: string): Promise<Subuser | undefined>;
  /** Once per request id. NOT_FOUND unless it is the caller's. */
  rename(call: AgentCall, subuserId: string, name: string): Promise<Subuser>;
  /** With everything it has, wherever that is kept; as `rename` otherwise. */
  delete(call: AgentCall, subuserId: string): Promise<void>;
  /** All of them, oldest first. */
  list(call: AgentCall): Promise<readonly Subuser[]>;
}

export const promptLimits = { min: 1, max: 32_768 };
