/** Calls the tools that an agent uses to read memory and files. */
export interface AgentTools {
  readonly call: <T>(tool: string, args: object) => Promise<T>;
  /** Calls a tool that returns a list in pages; returns all entries. */
  readonly list: <T>(tool: string, args: object) => Promise<T[]>;
}
