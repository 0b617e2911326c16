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
  roomOf,
  type ContextLimits,
  type Room,
} from '../domain/context/room';
import { estimateToolTokens, loadedFamilies, offerTools, type ToolRegistry } from '../../tools';
import { situationHints } from '../prompts/situation';
import type { PromptFor } from '../prompts/system-prompt';

export interface PrepareCallDeps {
  readonly tools: Pick<ToolRegistry, 'offer'>;
  /** The system prompt of an agent with these tools. */
  readonly promptFor: PromptFor;
  /**
   * What the model has to know about this turn and this moment, such as the time and who started the turn.
   */
  readonly situationFor: (agent: Agent, work: CurrentWork) => Promise<string>;
  readonly limits: ContextLimits;
}

/** The agent that makes the call, and its context. */
export interface CallingAgent {
  readonly agent: Agent;
  readonly lease: { readonly fence: number };
  readonly context: readonly ContextMessage[];
}

/** A request that fits into the model's window. */
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
  /** Whether messages were cut to make it fit. */
  readonly isCut: boolean;
}

/** What to do next: make the call, or make room first. */
export type Preparation =
  | { readonly kind: 'call'; readonly call: PreparedCall }
  | ({ readonly kind: 'compact' } & RoomPlan)
  | { readonly kind: 'reset' };

/** How to make room, and with which model. */
export interface RoomPlan {
  readonly chosen: ChosenModel;
  readonly plan: CompactionPlan;
  readonly room: Room;
}

/** Once this many requests of a turn have been refused as too long, only the current message is kept. */
const refusalsBeforeReset = 3;
/** Once this many requests of a turn have been refused as too long, the model is called without tools. */
const refusalsBeforeNoTools = 5;

/** Checks, before every model call, whether the context has room in the model's window. */
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
  const room = roomOf(model, deps.limits, overflows);
  const context = showImages(fullContext, imageRulesOf(model), room.limit);
  const size = requestTokens(context, overhead);
  const plan =
    size > room.compactAbove
      ? planCompaction(context, work.turn, room.compactAbove - overhead)
      : undefined;
  if (plan && overflows < refusalsBeforeReset) return { kind: 'compact', chosen, plan, room };
  if (overflows >= refusalsBeforeReset && hasOtherMessages(context, work)) return { kind: 'reset' };
  const fitting = size > room.limit ? fit(context, { size, overhead, room }) : context;
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
      estimateInput: async () => Math.min(size, room.limit),
      systemPrompt: prompt.text,
      context: fitting,
      shownImages: imagesIn(fitting),
      situation,
      tools,
      outputLimit: outputLimitToSend(model.provider, maxOutputTokens, deps.limits),
      isCut: fitting !== context,
    },
  };
}

/** The images of a context that are sent to the model. */
const imagesIn = foldContext<readonly ShownImage[]>([], (found, message) =>
  message.role === 'user' && message.images ? [...found, ...message.images] : found,
);

/** If all tools together are too large, families that have not been loaded in the context are left out. */
async function toolsFor(
  agent: Agent,
  context: readonly ContextMessage[],
  { tools, limits }: PrepareCallDeps,
): Promise<readonly ToolSpec[]> {
  return offerTools(await tools.offer(agent), loadedFamilies(context), limits.maxToolTokens);
}

/**
 * Cuts the context to fit. If the provider counts more tokens than were estimated, the cut is larger
 * accordingly.
 */
function fit(
  context: readonly ContextMessage[],
  {
    size,
    overhead,
    room,
  }: { readonly size: number; readonly overhead: number; readonly room: Room },
): readonly ContextMessage[] {
  const estimate = requestTokens(context.map(withoutCount), overhead);
  const scale = Math.min(1, estimate / size);
  return fitContext(context, Math.floor(room.limit * scale) - overhead);
}

function withoutCount(message: ContextMessage): ContextMessage {
  return message.role === 'assistant' ? { ...message, inputTokens: 0 } : message;
}

/** Whether the context contains more than the message that began the turn. */
function hasOtherMessages(context: readonly ContextMessage[], { turn }: CurrentWork): boolean {
  return context.some(({ sequence }) => sequence !== turn);
}
