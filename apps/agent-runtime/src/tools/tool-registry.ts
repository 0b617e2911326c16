import { z } from 'zod';
import { AppError, toAppError } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { cutResult, type ToolOutcome } from '../domain/tool-outcome';
import type { ToolSpec } from '../runtime/model-provider';
import type { Tool, ToolContext } from './tool';

const mostArguments = 262_144;

/**
 * All tools, and the one path by which any of them is called: a model's wish and a client's call take
 * it alike.
 */
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;
  /** In the order in which they are listed. */
  readonly #specs: readonly { readonly tool: Tool; readonly spec: ToolSpec }[];

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size !== tools.length) throw new Error('two tools have the same name');
    this.#specs = [...tools]
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((tool) => ({ tool, spec: specOf(tool) }));
  }

  /** What the model of an agent is told of, by name. */
  list(agent: Agent): ToolSpec[] {
    return this.#specs.filter(({ tool }) => tool.isVisibleTo(agent)).map(({ spec }) => spec);
  }

  /** Runs a tool; rejects with an AppError when it refuses or fails. */
  async call(name: string, argumentsJson: string, context: ToolContext): Promise<ToolOutcome> {
    const tool = this.#tools.get(name);
    if (!tool) throw new AppError('NOT_FOUND', `There is no tool ${JSON.stringify(name)}`);
    const args = readArguments(tool, argumentsJson);
    tool.authorise(context.agent);
    return cutResult((await tool.execute(args, context)) ?? {});
  }

  /** As `call`, for a model: a refusal or failure is a result that it can read. */
  async answer(name: string, argumentsJson: string, context: ToolContext): Promise<ToolOutcome> {
    try {
      return await this.call(name, argumentsJson, context);
    } catch (thrown) {
      if (context.signal.aborted) throw thrown;
      const { code, message } = toAppError(thrown);
      // Nobody knows whether it took place; the same call, repeated, will tell.
      if (unsettled.has(code)) throw thrown;
      return { ...cutResult({ error: { code, message } }), isError: true };
    }
  }
}

/** After these a call is tried again rather than reported: repeated with its key it happens once. */
const unsettled: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED']);

function specOf({ name, description, schema }: Tool): ToolSpec {
  return { name, description, inputSchema: z.toJSONSchema(schema) };
}

function readArguments(tool: Tool, argumentsJson: string): Record<string, unknown> {
  const parsed = tool.schema.safeParse(parseJson(argumentsJson));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.') || 'arguments',
    description: message,
  }));
  const text = fields.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw new AppError('INVALID_ARGUMENT', `Arguments do not fit ${tool.name}: ${text}`, { fields });
}

function parseJson(text: string): unknown {
  if (text.length > mostArguments)
    throw new AppError('INVALID_ARGUMENT', 'arguments_json is too long');
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    throw new AppError('INVALID_ARGUMENT', 'arguments_json is not JSON');
  }
}
