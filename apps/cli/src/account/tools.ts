/** The tools of an agent, through which memory and files are read. */
export interface AgentTools {
  readonly call: <T>(tool: string, args: object) => Promise<T>;
  /** All entries of a list, whatever its length. */
  readonly list: <T>(tool: string, args: object) => Promise<T[]>;
}
