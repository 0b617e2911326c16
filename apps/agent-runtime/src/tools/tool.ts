import { z } from 'zod';
import type { Agent } from '../domain/agent';

/** For whom, and in the course of what, a tool runs. */
export interface ToolContext {
  readonly agent: Agent;
  /** The same whenever the same call is repeated: what the tool does with it happens once. */
  readonly requestId: string;
  /** How many agents in a row have led to this call. */
  readonly hops: number;
  readonly signal: AbortSignal;
}

/** Something an agent can do. Its result must be JSON. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** Fields it does not name are refused. */
  readonly schema: S;
  /** Who is told of it. It is no protection: what is not listed can still be called. */
  readonly isVisibleTo: (agent: Agent) => boolean;
  /** Who may call it: throws for everybody else, unless the service behind the tool does that. */
  readonly authorise: (agent: Agent) => void;
  readonly execute: (args: z.output<S>, context: ToolContext) => Promise<unknown>;
}

/** A tool whose arguments are typed by its schema. */
export function defineTool<S extends z.ZodRawShape>(
  tool: Omit<Tool<z.ZodObject<S>>, 'schema'> & { readonly schema: S },
): Tool {
  // What `execute` is given has passed the schema, so it may forget its type here.
  return { ...tool, schema: z.strictObject(tool.schema) } as unknown as Tool;
}
