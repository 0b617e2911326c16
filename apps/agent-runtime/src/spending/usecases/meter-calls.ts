import { AppError, type Trust } from '@daycare/api';
import {
  type Agent,
  type CallUsage,
  estimateTokens,
  type HistoryEntry,
  type TokenUsage,
  type ToolCall,
} from '../../agents';
import {
  reserve,
  settle,
  type ReservationOutcome,
  type ReservationRequest,
} from '../domain/account';
import type { Amount } from '../domain/budget';
import { costOf, type Price } from '../domain/price';
import { budgetReachedNote, unpricedNote } from '../domain/spending-wording';
import type { AccountStore } from '../store/account-store';
import type { KnownBudgets } from './known-budgets';
import type { NotifyRefused } from './notify-refused';
import type { RecountAccount } from './recount-account';

/** A model call that is about to be made. */
export interface PlannedCall {
  readonly agent: Pick<Agent, 'id' | 'userId' | 'ownerUserId' | 'foreground'>;
  readonly trust: Trust;
  /** The nametag of the friend who started the turn; undefined when none did. */
  readonly friend?: string | undefined;
  /** Undefined for a call made outside any turn. */
  readonly turn?: number;
  /** The fence of the lease under which the agent runs. */
  readonly fence: number;
  readonly provider: string;
  readonly model: string;
  /** Estimates the tokens of the request; only called when the number is needed. */
  readonly estimateInput: () => Promise<number>;
  /** The maximum length of the answer, if the request sets one; reserved instead of `answerTokens` if it is lower. */
  readonly maxOutputTokens?: number;
}

/** The part of a model's answer that determines the usage. */
export interface CallOutput {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** As the provider reported it. */
  readonly usage: TokenUsage;
}

/** A call that may be made. Pass its outcome to one of the functions, once; the result goes into the history entry. */
export interface MeteredCall {
  readonly kind: 'metered';
  /** `failedAttempts`: how many characters each earlier attempt of the call received before it failed. */
  readonly answered: (output: CallOutput, failedAttempts?: readonly number[]) => Promise<CallUsage>;
  readonly failed: (failedAttempts: readonly number[]) => Promise<CallUsage>;
}

/** A call that does not fit into a budget, or whose model has no price although a budget limits costs. */
export interface RefusedCall {
  readonly kind: 'refused';
  /** A note for the person, with which the turn ends. */
  readonly note: string;
}

/** The part of a history entry that settling a call needs. */
export type CallEntry = Pick<HistoryEntry, 'agentId' | 'userId' | 'call'>;

export interface MeterCalls {
  /** Reserves the likely usage of a model call; must be called before each. */
  begin(call: PlannedCall): Promise<MeteredCall | RefusedCall>;
  /** Replaces the reservation with the usage; must be called with each entry after it has been stored. */
  settle(entry: CallEntry): void;
}

export interface MeterCallsDeps {
  readonly accounts: Pick<AccountStore, 'change'>;
  readonly knownBudgets: Pick<KnownBudgets, 'has'>;
  readonly recount: RecountAccount;
  readonly notifyRefused: NotifyRefused;
  /** Returns the price of a model, by `provider/model`; undefined when it is unknown. */
  readonly priceOf: (model: string) => Price | undefined;
  readonly currency: string;
  /** How many tokens are set aside for an answer. */
  readonly answerTokens: number;
  readonly observe: (call: CallUsage) => void;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

export function makeMeterCalls(deps: MeterCallsDeps): MeterCalls {
  return {
    async begin(call) {
      const outcome = await reserveFor(call, deps);
      if (outcome.kind === 'granted') return meteredCall(call, outcome.number, deps);
      if (outcome.kind === 'superseded')
        throw new AppError('UNAVAILABLE', 'the agent is now running on another replica');
      const model = `${call.provider}/${call.model}`;
      await deps.notifyRefused(call.agent, outcome, model);
      const note =
        outcome.kind === 'unpriced'
          ? unpricedNote(model, outcome.budget, deps.currency)
          : budgetReachedNote(outcome.budget, outcome.renewsAt, deps.currency);
      return { kind: 'refused', note };
    },
    settle(entry) {
      if (!entry.call) return;
      deps.observe(entry.call);
      if (entry.call.reservation > 0)
        void settleEntry(entry, entry.call, deps).catch((error: unknown) => {
          const { agentId } = entry;
          deps.log.warn({ err: error, agentId }, 'settling a reservation failed; it will expire');
        });
    },
  };
}

/** For an owner without budgets, this usually reads only memory. */
async function reserveFor(call: PlannedCall, deps: MeterCallsDeps): Promise<ReservationOutcome> {
  const { id: agentId, userId, ownerUserId = userId } = call.agent;
  const answer = deps.knownBudgets.has(ownerUserId);
  const hasBudgets = typeof answer === 'boolean' ? answer : await answer;
  if (!hasBudgets) return { kind: 'granted', number: 0 };
  const { trust, fence } = call;
  const amount = await estimate(call, deps);
  const isUnpriced = deps.priceOf(`${call.provider}/${call.model}`) === undefined;
  const request = { agentId, userId, trust, fence, amount, isUnpriced };
  return reserveIn(ownerUserId, request, deps);
}

async function reserveIn(
  ownerUserId: string,
  request: ReservationRequest,
  { accounts, recount, now }: MeterCallsDeps,
): Promise<ReservationOutcome> {
  const decided = await accounts.change(ownerUserId, (before) => {
    const at = now();
    const { account, outcome } = reserve(before, request, at);
    const isDue = account.recountAt <= at;
    return { account, result: { outcome, isDue }, needsFresh: outcome.kind !== 'granted' };
  });
  if (decided?.isDue) recount.soon(ownerUserId);
  return decided?.outcome ?? { kind: 'granted', number: 0 };
}

async function estimate(
  { provider, model, estimateInput, maxOutputTokens = Infinity }: PlannedCall,
  { priceOf, answerTokens }: MeterCallsDeps,
): Promise<Amount> {
  const inputTokens = await estimateInput();
  const outputTokens = Math.min(answerTokens, maxOutputTokens);
  const usage = { inputTokens, outputTokens, cachedInputTokens: 0 };
  const micros = costOf(usage, priceOf(`${provider}/${model}`));
  return { tokens: inputTokens + outputTokens, micros };
}

function meteredCall(
  { agent, trust, friend, turn = 0, provider, model: name, estimateInput }: PlannedCall,
  reservation: number,
  { priceOf, now }: MeterCallsDeps,
): MeteredCall {
  const model = `${provider}/${name}`;
  const ownerUserId = agent.ownerUserId ?? agent.userId;
  const beganMs = now().getTime();
  const toUsage = (usage: TokenUsage, failedCalls: 0 | 1, isEstimated: boolean): CallUsage => ({
    ...usage,
    ownerUserId,
    model,
    trust,
    ...(friend !== undefined && { friend }),
    turn,
    latencyMs: Math.max(0, now().getTime() - beganMs),
    costMicros: costOf(usage, priceOf(model)),
    failedCalls,
    estimatedCalls: isEstimated ? 1 : 0,
    reservation,
  });
  return {
    kind: 'metered',
    async answered(output, failedAttempts = []) {
      const answer = await completeUsage(output, estimateInput);
      const usage = await withFailed(answer, failedAttempts, estimateInput);
      return toUsage(usage, 0, usage !== output.usage);
    },
    async failed(failedAttempts) {
      const usage = await withFailed(noTokens, failedAttempts, estimateInput);
      return toUsage(usage, 1, usage !== noTokens);
    },
  };
}

const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/**
 * Adds the estimated usage of failed attempts. A provider that has sent nothing has most likely charged
 * nothing.
 */
async function withFailed(
  usage: TokenUsage,
  failedAttempts: readonly number[],
  estimateInput: () => Promise<number>,
): Promise<TokenUsage> {
  const charged = failedAttempts.filter((characters) => characters > 0);
  if (charged.length === 0) return usage;
  const output = charged.reduce((sum, characters) => sum + Math.ceil(characters / 4), 0);
  return {
    ...usage,
    inputTokens: usage.inputTokens + charged.length * (await estimateInput()),
    outputTokens: usage.outputTokens + output,
  };
}

/** Completes the reported usage with estimates for missing numbers. */
async function completeUsage(
  { text, toolCalls, usage }: CallOutput,
  estimateInput: () => Promise<number>,
): Promise<TokenUsage> {
  const parts = [text, ...toolCalls.flatMap(({ name, argumentsJson }) => [name, argumentsJson])];
  const estimatedOutput = usage.outputTokens > 0 ? 0 : estimateTokens(parts.join(''));
  if (usage.inputTokens > 0 && estimatedOutput === 0) return usage;
  return {
    ...usage,
    inputTokens: usage.inputTokens || (await estimateInput()),
    outputTokens: usage.outputTokens || estimatedOutput,
  };
}

async function settleEntry(
  { agentId, userId }: CallEntry,
  { ownerUserId, trust, reservation, day, ...call }: NonNullable<HistoryEntry['call']>,
  { accounts, recount, now }: MeterCallsDeps,
): Promise<void> {
  const amount = { tokens: call.inputTokens + call.outputTokens, micros: call.costMicros };
  const isDue = await accounts.change(ownerUserId, (before) => {
    const at = now();
    const account = settle(before, { agentId, userId, trust, reservation, day, amount }, at);
    return { account, result: account.recountAt <= at };
  });
  if (isDue) recount.soon(ownerUserId);
}
