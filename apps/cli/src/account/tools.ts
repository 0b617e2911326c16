/** Calls the tools by which an agent reads memory and files. */
export interface AgentTools {
  readonly call: <T>(tool: string, args: object) => Promise<T>;
  /** Calls a tool that returns a list in pages; returns all entries. */
  readonly list: <T>(tool: string, args: object) => Promise<T[]>;
}
