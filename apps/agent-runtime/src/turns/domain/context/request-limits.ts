import {
  estimateContext,
  estimateMessages,
  imageTokensIn,
  imageTokensOf,
  type ContextMessage,
} from '../../../agents';

/** The input and output limits of a model, in tokens. */
export interface ModelLimits {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

export interface ContextLimits {
  /** In tokens; the largest window that is used, even if the model's is larger. */
  readonly emergencyContextLimit: number;
  /** The share of the window at which the context is compacted. */
  readonly compactAt: number;
  /** The longest answer to request, whatever the model allows; 0 for the model's limit. */
  readonly maxOutputTokens: number;
  /** How many tokens the tool descriptions may take up before tool families are left out. */
  readonly maxToolTokens: number;
}

/** How large requests may be, in estimated tokens. */
export interface RequestLimits {
  /** The largest request. */
  readonly maxTokens: number;
  /** The context of a larger request is compacted first. */
  readonly compactAbove: number;
}

/** Part of the window is left free, because estimates can be wrong. */
const usableShare = 0.95;
const maxOutputShare = 0.25;

/** Returns the limits for requests to a model. Each refused request halves them, as the estimate was too low. */
export function requestLimitsOf(
  model: ModelLimits,
  limits: ContextLimits,
  overflows = 0,
): RequestLimits {
  const window = Math.min(model.contextWindow, limits.emergencyContextLimit);
  const output = outputTokens(model, limits);
  const usable = window * usableShare - output;
  const halve = (tokens: number): number => Math.floor(tokens / 2 ** overflows);
  return {
    maxTokens: halve(usable),
    compactAbove: halve(Math.min(usable, window * limits.compactAt)),
  };
}

/** Returns how long an answer may be. The answer and the request share the model's window. */
export function outputTokens(model: ModelLimits, limits: ContextLimits): number {
  const window = Math.min(model.contextWindow, limits.emergencyContextLimit);
  const maxOutput = limits.maxOutputTokens || model.maxOutputTokens;
  return Math.floor(Math.min(maxOutput, window * maxOutputShare));
}

/**
 * Returns the maximum answer length to state in a request, if any. Anthropic's API requires one. Some models of other
 * providers reject the field, so those providers get one only if the operator has configured it.
 */
export function outputLimitToSend(
  provider: string,
  tokens: number,
  { maxOutputTokens }: Pick<ContextLimits, 'maxOutputTokens'>,
): number | undefined {
  return provider === 'anthropic' || maxOutputTokens > 0 ? tokens : undefined;
}

/** Some servers report only uncached tokens; a count below this share of the estimate is ignored. */
const minReportedShare = 1 / 3;

/**
 * Estimates the size of a request: the provider's count for the previous one, plus an estimate of what was added
 * since. `overhead` is the estimated size of everything but the messages.
 */
export function requestTokens(context: readonly ContextMessage[], overhead: number): number {
  const at = context.findLastIndex((message) => 'inputTokens' in message);
  const last = context[at];
  const counted = last?.role === 'assistant' ? (last.inputTokens ?? 0) : 0;
  const added = context.slice(Math.max(at, 0));
  const addedTokens = estimateMessages(added);
  const earlierTokens = overhead + estimateContext(context) - addedTokens;
  const isCounted = at >= 0 && counted >= earlierTokens * minReportedShare;
  if (!isCounted) return earlierTokens + addedTokens;
  // The model that counted may not have been shown the images of earlier messages.
  const hasEarlierImages = imageTokensIn(context) > sumImageTokens(added);
  return (hasEarlierImages ? Math.max(counted, earlierTokens) : counted) + addedTokens;
}

function sumImageTokens(messages: readonly ContextMessage[]): number {
  return messages.reduce((sum, message) => sum + imageTokensOf(message), 0);
}
