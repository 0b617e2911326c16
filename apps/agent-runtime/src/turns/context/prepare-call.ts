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
  maxOutputFor,
  outputTokens,
  requestTokens,
  roomOf,
  type ContextLimits,
  type Room,
} from '../domain/context/room';
import { estimateTools, loadedFamilies, offerTools, type ToolRegistry } from '../../tools';
import { situationHints } from '../prompts/situation';
import type { PromptFor } from '../prompts/system-prompt';

export interface PrepareCallDeps {
  readonly tools: Pick<ToolRegistry, 'offer'>;
  /** The system prompt of an agent with these tools. */
  readonly promptFor: PromptFor;
  /** The facts for this turn and moment. */
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
  readonly shown: readonly ShownImage[];
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

/** After this many refusals as too long, only the current message is kept. */
const resetAfter = 3;
/** After this many refusals the model is called without tools. */
const noToolsAfter = 5;

/** Checks, before every model call, whether the context has room in the model's window. */
export async function prepareCall(
  { agent, lease, context: whole }: CallingAgent,
  work: CurrentWork,
  chosen: ChosenModel,
  deps: PrepareCallDeps,
): Promise<Preparation> {
  const { overflows = 0 } = work;
  const tools = overflows >= noToolsAfter ? [] : await toolsFor(agent, whole, deps);
  const prompt = await deps.promptFor(agent, tools);
  const situation = `${await deps.situationFor(agent, work)}${situationHints(work, whole)}`;
  const overhead = prompt.tokens + estimateTokens(situation) + estimateTools(tools);
  const { model } = chosen;
  const room = roomOf(model, deps.limits, overflows);
  const context = showImages(whole, imageRulesOf(model), room.limit);
  const size = requestTokens(context, overhead);
  const plan =
    size > room.compactAbove
      ? planCompaction(context, work.turn, room.compactAbove - overhead)
      : undefined;
  if (plan && overflows < resetAfter) return { kind: 'compact', chosen, plan, room };
  if (overflows >= resetAfter && isMoreThanMessage(context, work)) return { kind: 'reset' };
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
      shown: imagesIn(fitting),
      situation,
      tools,
      outputLimit: maxOutputFor(model.provider, maxOutputTokens, deps.limits),
      isCut: fitting !== context,
    },
  };
}

/** The images of a context that are sent to the model. */
const imagesIn = foldContext<readonly ShownImage[]>([], (found, message) =>
  message.role === 'user' && message.images ? [...found, ...message.images] : found,
);

/** Families of tools that the context has not loaded are left out when all together are too large. */
async function toolsFor(
  agent: Agent,
  context: readonly ContextMessage[],
  { tools, limits }: PrepareCallDeps,
): Promise<readonly ToolSpec[]> {
  return offerTools(await tools.offer(agent), loadedFamilies(context), limits.maxToolTokens);
}

/** The provider may count more or fewer tokens than the estimate; the cut is scaled accordingly. */
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

function isMoreThanMessage(context: readonly ContextMessage[], { turn }: CurrentWork): boolean {
  return context.some(({ sequence }) => sequence !== turn);
}
