/** Calls the tools of an agent, which read memory and files. */
export interface AgentTools {
  readonly call: <T>(tool: string, args: object) => Promise<T>;
  /** All entries of a list, whatever its length. */
  readonly list: <T>(tool: string, args: object) => Promise<T[]>;
}
