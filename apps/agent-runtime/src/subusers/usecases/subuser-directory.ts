import type { AgentCall } from '../../agents';

/** A subuser of the calling agent's user, as identity stores it. */
export interface Subuser {
  readonly id: string;
  readonly name: string;
  readonly nametag: string;
}

/** The subusers of the calling agent's user; subusers of other users can be neither seen nor changed. */
export interface Subusers {
  /** Creates a subuser, once per request id. */
  create(
    call: AgentCall,
    spec: { readonly name: string; readonly description: string },
  ): Promise<Subuser>;
  find(call: AgentCall, subuserId: string): Promise<Subuser | undefined>;
  /** Renames a subuser, once per request id. Throws NOT_FOUND unless the subuser is the caller's. */
  rename(call: AgentCall, subuserId: string, name: string): Promise<Subuser>;
  /** Deletes the subuser and all its data in every service; otherwise like `rename`. */
  delete(call: AgentCall, subuserId: string): Promise<void>;
  /** Lists all the caller's subusers, oldest first. */
  list(call: AgentCall): Promise<readonly Subuser[]>;
}

export const promptLimits = { min: 1, max: 32_768 };
