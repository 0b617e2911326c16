import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError, isForeign, toAppError } from '@daycare/api';
import { severalWriters, type Agent } from '../../agents';
import {
  truncateResult,
  LabelledResult,
  type ResultLabel,
  type ToolOutcome,
} from '../domain/tool-outcome';
import type { ToolSpec } from '../../models';
import { CallGuard, type Admission, type CallGuardDeps, type GuardAnswer } from './call-guard';
import type { ToolLedger } from '../ports/ledger';
import { rememberCall } from './remember-call';
import type { Tool, ToolContext } from './tool';

const maxArgumentCharacters = 262_144;

export interface RegistryDeps extends CallGuardDeps {
  /** Remembers calls that change something, so that retries have no second effect. */
  readonly ledger: ToolLedger;
}

/** All tools, and the single path through which models and clients call them. */
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Sorted by name, as they are listed. */
  readonly #specs: readonly { readonly tool: Tool; readonly spec: ToolSpec }[];

  /**
   * The lists that were offered to agents, keyed by the names of their tools, so that the same tools are returned as
   * the same array.
   */
  readonly #offers = new LRUCache<string, readonly ToolSpec[]>({ max: 500 });

  readonly #guard: CallGuard;
  readonly #ledger: ToolLedger;

  constructor(tools: readonly Tool[], deps: RegistryDeps) {
    this.#ledger = deps.ledger;
    this.#guard = new CallGuard(deps);
    for (const { name } of tools) this.#guard.rowOf(name);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size !== tools.length) throw new Error('two tools have the same name');
    this.#specs = [...tools]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((tool) => ({ tool, spec: specOf(tool) }));
  }

  /** Returns the tools that are visible to an agent, sorted by name. */
  list(agent: Agent): ToolSpec[] {
    return this.#specs.filter(({ tool }) => tool.isVisibleTo(agent)).map(({ spec }) => spec);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Reports whether a tool changes nothing, so that calls to it may run in parallel. */
  isReadOnly(name: string): boolean {
    return this.#tools.has(name) && this.#guard.rowOf(name).isReadOnly === true;
  }

  /** Reports whether an agent's guests share one conversation. */
  async isShared(agent: Agent): Promise<boolean> {
    return this.#guard.isShared(agent);
  }

  /**
   * Returns the tools to offer to an agent's model: like `list`, without those that are refused to the agent in every
   * turn. Usually returns the same array for the same tools, so that callers can cache what they derive from it.
   */
  async offer(agent: Agent): Promise<readonly ToolSpec[]> {
    const isRefused = await this.#guard.findRefusedTools(agent);
    const offered = this.list(agent).filter(({ name }) => !isRefused(name));
    const key = offered.map(({ name }) => name).join();
    const cached = this.#offers.get(key);
    if (cached) return cached;
    this.#offers.set(key, offered);
    return offered;
  }

  /** Runs a tool, or asks for approval and returns a result that says so; rejects if the call is refused or fails. */
  async call(name: string, argumentsJson: string, context: ToolContext): Promise<ToolOutcome> {
    return this.#run(await this.#admit(name, argumentsJson, context));
  }

  /** Like `call`, but for a model: returns most refusals and failures as results that the model can read. */
  async answer(name: string, argumentsJson: string, context: ToolContext): Promise<ToolOutcome> {
    let admitted: AdmittedCall | undefined;
    try {
      admitted = await this.#admit(name, argumentsJson, context);
      return await this.#run(admitted);
    } catch (thrown) {
      if (context.signal.aborted) throw thrown;
      const { code, message } = toAppError(thrown);
      if (retriedCodes.has(code)) throw thrown;
      // A failure can reveal that data is missing, so, like a result, it is labelled private.
      return {
        ...truncateResult({ error: { code, message } }),
        isError: true,
        ...privacyOf(admitted),
      };
    }
  }

  async #admit(name: string, argumentsJson: string, context: ToolContext): Promise<AdmittedCall> {
    const tool = this.#tools.get(name);
    if (!tool) throw new AppError('NOT_FOUND', `There is no tool ${JSON.stringify(name)}`);
    const args = readArguments(tool, argumentsJson);
    tool.authorise(context.agent);
    const answer = await this.#guard.admit({ tool, args, argumentsJson, context });
    return { tool, args, answer };
  }

  async #run({ tool, args, answer }: AdmittedCall): Promise<ToolOutcome> {
    if (answer.kind === 'waiting') return waitingOutcome(tool.name, answer);
    const { context } = answer.admission;
    const isRemembered = !tool.keepsOwnRecord && !this.isReadOnly(tool.name);
    const returned = isRemembered
      ? await rememberCall(this.#ledger, tool, args, context)
      : await tool.execute(args, context);
    return labelOutcome(returned, answer.admission);
  }
}

/** A call that was not refused: it runs now or waits for approval. */
interface AdmittedCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly answer: GuardAnswer;
}

function privacyOf(call: AdmittedCall | undefined): Pick<ToolOutcome, 'isPrivate'> {
  return call?.answer.kind === 'run' && call.answer.admission.readsPrivate
    ? { isPrivate: true }
    : {};
}

type Waiting = Extract<GuardAnswer, { kind: 'waiting' }>;

/**
 * After these errors it is unknown whether the call took effect. The turn retries the call for a while with the same
 * request id, so that it takes effect once.
 */
const retriedCodes: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
]);

function labelOutcome(returned: unknown, { readsPrivate }: Admission): ToolOutcome {
  const isLabelled = returned instanceof LabelledResult;
  const result = isLabelled ? returned.result : returned;
  const label: ResultLabel = isLabelled ? returned.label : {};
  const { provenance, isPrivate = true, files } = label;
  return {
    ...truncateResult(result ?? {}),
    ...(provenance ? { provenance } : {}),
    ...(readsPrivate && isPrivate ? { isPrivate } : {}),
    // Stored data has a trust level but does not say who wrote it.
    ...(provenance && isForeign(provenance) ? { foreignWriter: severalWriters } : {}),
    ...(files ? { files } : {}),
  };
}

/** Not an error: the call may still run, in a later turn. */
function waitingOutcome(toolName: string, waiting: Waiting): ToolOutcome {
  const { permissionRequestId, expiresAt } = waiting;
  return truncateResult({
    status: 'waiting_for_approval',
    summary: `A person has been asked to approve this call to ${toolName}; it has not run. You will receive the decision.`,
    permissionRequestId,
    expiresAt: expiresAt.toISOString(),
  });
}

function specOf({ name, description, schema }: Tool): ToolSpec {
  return { name, description, inputSchema: plainSchema(z.toJSONSchema(schema)) };
}

/**
 * Returns only the parts of a schema that a model needs. The rest would cost tokens in every request, and the registry
 * enforces the whole schema anyway.
 */
function plainSchema(schema: object): Record<string, unknown> {
  const fields = Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === '$schema' || isUnlimited(value)) return [];
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [[key, isSchema ? plainSchema(value) : value] as const];
  });
  return Object.fromEntries(fields);
}

function isUnlimited(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER;
}

function readArguments(tool: Tool, argumentsJson: string): Record<string, unknown> {
  const parsed = tool.schema.safeParse(parseJson(argumentsJson));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.') || 'arguments',
    description: message,
  }));
  const text = fields.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw new AppError('INVALID_ARGUMENT', `Invalid arguments for ${tool.name}: ${text}`, { fields });
}

function parseJson(text: string): unknown {
  if (text.length > maxArgumentCharacters)
    throw new AppError('INVALID_ARGUMENT', 'The arguments are longer than 262,144 characters');
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    throw new AppError('INVALID_ARGUMENT', 'The arguments are not valid JSON');
  }
}
