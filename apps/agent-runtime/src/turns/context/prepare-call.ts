import {
  estimateTokens,
  foldContext,
  type Agent,
  type ContextMessage,
  type CurrentWork,
  type ShownImage,
} from '../../agents';
import { imageRulesOf, type ChosenModel, type ToolSpec } from '../../models';
import type { PlannedCall } from '../../spending';
import { fitContext } from '../domain/context/fit-context';
import { showImages } from '../domain/context/show-images';
import { planCompaction, type CompactionPlan } from '../domain/context/plan-compaction';
import {
  outputLimitToSend,
  outputTokens,
  requestTokens,
  requestLimitsOf,
  type ContextLimits,
  type RequestLimits,
} from '../domain/context/request-limits';
import { estimateToolTokens, loadedFamilies, offerTools, type ToolRegistry } from '../../tools';
import { situationHints } from '../prompts/situation';
import type { PromptFor } from '../prompts/system-prompt';

export interface PrepareCallDeps {
  readonly tools: Pick<ToolRegistry, 'offer'>;
  /** Renders the system prompt for an agent with these tools. */
  readonly promptFor: PromptFor;
  /** Renders what the model has to know about this turn, such as the current time and who started it. */
  readonly situationFor: (agent: Agent, work: CurrentWork) => Promise<string>;
  readonly limits: ContextLimits;
}

/** The agent that makes the call, and its context. */
export interface CallingAgent {
  readonly agent: Agent;
  readonly lease: { readonly fence: number };
  readonly context: readonly ContextMessage[];
}

/**
 * A request, truncated if its estimated size exceeded the model's limit. It may still exceed the limit, because part of
 * every message is kept.
 */
export interface PreparedCall extends PlannedCall {
  readonly systemPrompt: string;
  readonly context: readonly ContextMessage[];
  /** The images of the context that are sent to the model. */
  readonly shownImages: readonly ShownImage[];
  readonly situation: string;
  readonly tools: readonly ToolSpec[];
  readonly chosen: ChosenModel;
  /** The maximum length of the answer, if the provider is given one. */
  readonly outputLimit: number | undefined;
  /** Whether messages were truncated, or their images left out, to make the request fit. */
  readonly isTruncated: boolean;
}

/** What to do next: make the call, or shorten the context first. */
export type Preparation =
  | { readonly kind: 'call'; readonly call: PreparedCall }
  | ({ readonly kind: 'compact' } & CompactionTask)
  | { readonly kind: 'reset' };

/** How to compact the context, and with which model. */
export interface CompactionTask {
  readonly chosen: ChosenModel;
  readonly plan: CompactionPlan;
  readonly requestLimits: RequestLimits;
}

/** After this many requests in a row were refused as too long, only the current message is kept. */
const refusalsBeforeReset = 3;
/** After this many such refusals, the model is called without tools. */
const refusalsBeforeNoTools = 5;

/**
 * Prepares a model call. If the estimated size is above `compactAbove`, or too many requests were refused as too long,
 * says how to shorten the context first, if it can be shortened.
 */
export async function prepareCall(
  { agent, lease, context: fullContext }: CallingAgent,
  work: CurrentWork,
  chosen: ChosenModel,
  deps: PrepareCallDeps,
): Promise<Preparation> {
  const { overflows = 0 } = work;
  const tools = overflows >= refusalsBeforeNoTools ? [] : await toolsFor(agent, fullContext, deps);
  const prompt = await deps.promptFor(agent, tools);
  const situation = `${await deps.situationFor(agent, work)}${situationHints(work, fullContext)}`;
  const overhead = prompt.tokens + estimateTokens(situation) + estimateToolTokens(tools);
  const { model } = chosen;
  const requestLimits = requestLimitsOf(model, deps.limits, overflows);
  const context = showImages(fullContext, imageRulesOf(model), requestLimits.maxTokens);
  const size = requestTokens(context, overhead);
  const plan =
    size > requestLimits.compactAbove
      ? planCompaction(context, work.turn, requestLimits.compactAbove - overhead)
      : undefined;
  if (plan && overflows < refusalsBeforeReset)
    return { kind: 'compact', chosen, plan, requestLimits };
  if (overflows >= refusalsBeforeReset && hasOtherMessages(context, work)) return { kind: 'reset' };
  const { maxTokens } = requestLimits;
  const fitting = size > maxTokens ? fit(context, { size, overhead, maxTokens }) : context;
  const maxOutputTokens = outputTokens(model, deps.limits);
  return {
    kind: 'call',
    call: {
      agent,
      trust: work.trust,
      friend: work.startedBy.nametag,
      fence: lease.fence,
      provider: model.provider,
      model: model.id,
      maxOutputTokens,
      chosen,
      turn: work.turn,
      estimateInput: async () => Math.min(size, maxTokens),
      systemPrompt: prompt.text,
      context: fitting,
      shownImages: imagesIn(fitting),
      situation,
      tools,
      outputLimit: outputLimitToSend(model.provider, maxOutputTokens, deps.limits),
      isTruncated: fitting !== context,
    },
  };
}

/** Returns the images that are sent to the model with a context. */
const imagesIn = foldContext<readonly ShownImage[]>([], (images, message) =>
  message.role === 'user' && message.images ? [...images, ...message.images] : images,
);

/**
 * If all tools together are too large, leaves out families that do not fit, but none that the agent has loaded in this
 * context.
 */
async function toolsFor(
  agent: Agent,
  context: readonly ContextMessage[],
  { tools, limits }: PrepareCallDeps,
): Promise<readonly ToolSpec[]> {
  return offerTools(await tools.offer(agent), loadedFamilies(context), limits.maxToolTokens);
}

/**
 * Truncates the context to fit. If the provider has counted more tokens than were estimated, more is removed
 * accordingly.
 */
function fit(
  context: readonly ContextMessage[],
  {
    size,
    overhead,
    maxTokens,
  }: { readonly size: number; readonly overhead: number; readonly maxTokens: number },
): readonly ContextMessage[] {
  const estimate = requestTokens(context.map(withoutCount), overhead);
  const scale = Math.min(1, estimate / size);
  return fitContext(context, Math.floor(maxTokens * scale) - overhead);
}

function withoutCount(message: ContextMessage): ContextMessage {
  return message.role === 'assistant' ? { ...message, inputTokens: 0 } : message;
}

/** Reports whether the context contains more than the message that began the turn. */
function hasOtherMessages(context: readonly ContextMessage[], { turn }: CurrentWork): boolean {
  return context.some(({ sequence }) => sequence !== turn);
}
