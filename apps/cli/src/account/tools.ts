/** Calls the tools by which an agent reads memory and files. */
export interface AgentTools {
  readonly call: <T>(tool: string, args: object) => Promise<T>;
  /** All entries of a list, whatever its length. */
  readonly list: <T>(tool: string, args: object) => Promise<T[]>;
}
