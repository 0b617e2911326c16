import { z } from 'zod';
import type { Trust } from '@daycare/api';
import type { Agent, StartedBy } from '../../agents';
import type { ToolName } from '../domain/tool-policy';

/** The agent that calls a tool, and the facts about the call and its turn. */
export interface ToolContext {
  readonly agent: Agent;
  /** The same for every retry of a call, so that its effects happen once. */
  readonly requestId: string;
  /** The sequence number of the turn's first record; absent when a client makes the call. */
  readonly turn?: number | undefined;
  /** The number of agents in the chain that led to this call. */
  readonly hops: number;
  /** The trust of the turn that makes the call, or of the client. */
  readonly trust: Trust;
  /** Whether that turn has read something private. */
  readonly readPrivate: boolean;
  /** The guest or outsider whose words are in the context of that turn, or `several`; absent if there are none. */
  readonly foreignWriter?: string | undefined;
  /** Whether that turn has read text from a guest or outsider. */
  readonly hasReadForeign?: true | undefined;
  /** Set by the registry if the agent's guests share one conversation. */
  readonly isShared?: true | undefined;
  /** How many files that turn has attached to its answer; absent for none. */
  readonly attachedFiles?: number | undefined;
  /** Who started that turn. */
  readonly startedBy: StartedBy;
  /** The exact call that a person has approved, if any; the registry checks whether it is this call. */
  readonly approval?: ApprovedCall | undefined;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
}

/**
 * The recipient of the text that a call sends: whoever sent the message that the turn answers, the agent's home, an
 * agent given by its id, or someone else.
 */
export type CallRecipient =
  | { readonly kind: 'sender' }
  /** The agent's parent, or an agent that talks with the user. */
  | { readonly kind: 'home' }
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'others' };

/** A call as it was shown to the person who approved it. */
export interface ApprovedCall {
  readonly permissionRequestId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
}

/** An action that an agent can take. Its result must be JSON. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For the model: what the tool does, when to use it and what it returns. */
  readonly description: string;
  /** Unknown fields are rejected. */
  readonly schema: S;
  /** Reports whether the tool is listed for an agent. Protects nothing: an unlisted tool can still be called. */
  readonly isVisibleTo: (agent: Agent) => boolean;
  /** Throws if the agent may not call the tool, unless the service behind the tool checks this (`delegated`). */
  readonly authorise: (agent: Agent) => void;
  /** Returns the recipient of the call's text; only for tools that send text. */
  readonly recipientOf?: (args: z.output<S>, context: ToolContext) => CallRecipient;
  /**
   * Reports whether the call schedules a later effect, or changes a scheduled one; only for tools whose calls can also
   * take effect immediately.
   */
  readonly isLater?: (args: z.output<S>) => boolean;
  /** Set if the tool records its calls itself, or must not be recorded because its result contains a secret. */
  readonly keepsOwnRecord?: true;
  readonly execute: (args: z.output<S>, context: ToolContext) => Promise<unknown>;
}

/** Defines a tool whose arguments are typed by its schema. */
export function defineTool<S extends z.ZodRawShape>(
  tool: Omit<Tool<z.ZodObject<S>>, 'name' | 'schema'> & {
    /** Must have a row in the tool policy. */
    readonly name: ToolName;
    readonly schema: S;
  },
): Tool {
  // The registry validates arguments against the schema before each call, so `execute` may lose its type here.
  return { ...tool, schema: z.strictObject(tool.schema) } as unknown as Tool;
}

/** Returns the schema of the optional argument that limits how many entries a tool returns. */
export function limitArgument(defaultLimit: number) {
  return z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`The maximum number to return; defaults to ${defaultLimit}`);
}
