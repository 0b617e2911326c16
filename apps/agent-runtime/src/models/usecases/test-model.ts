import { createId } from '@daycare/api/create-id';
import { AppError, FieldChecks, toAppError } from '@daycare/api';
import { mergeSignals } from '@daycare/async';
import { dayOf, noUsage, type TokenUsage, type UsageWriter } from '../../agents';
import type { Requester, MeterCalls, MeteredCall } from '../../spending';
import { parseModelName, type ModelName } from '../catalogue/model-entry';
import type { AddedProvider } from '../domain/added-providers';
import { testProblem } from '../domain/test-wording';
import type { ModelAnswer, ModelProvider } from '../providers/model-provider';
import { keyVariableOf, type ProviderSpec } from '../providers-config';
import { ProviderError } from '../providers/provider-error';
import { addCommand, type KnownProviders } from './known-providers';
import type { KnownChoices } from './known-choices';

export interface TestModelCall {
  readonly requester: Requester;
  /** `provider/id`. */
  readonly model: string;
  readonly signal: AbortSignal;
}

export interface ModelTest {
  /** Empty when the model answered. */
  readonly problem: string;
  readonly latencyMs: number;
  readonly usage: TokenUsage;
}

export interface TestModelDeps {
  readonly configured: readonly ProviderSpec[];
  readonly providers: Pick<KnownProviders, 'get' | 'findAdded'>;
  readonly known: Pick<KnownChoices, 'refresh'>;
  readonly meter: Pick<MeterCalls, 'begin' | 'settle'>;
  readonly usage: UsageWriter;
  /** Takes a token from a bucket and returns 0; otherwise returns how long to wait for one, in milliseconds. */
  readonly takeToken: (bucket: string) => number;
  readonly now: () => Date;
}

/** The limit at each replica for each owner together with its subusers; all operators share one more such limit. */
export const testLimit = { perSecond: 1 / 6, burst: 10 };
const maxOutputTokens = 16;
const maxInputTokens = 100;
const timeoutMs = 20_000;

/**
 * Makes a real, tiny call to a model. If a user requests the test, its usage is recorded and charged to the user's
 * budgets.
 */
export function makeTestModel(deps: TestModelDeps) {
  return async ({ requester, model, signal }: TestModelCall): Promise<ModelTest> => {
    const name = parseModelName(model);
    new FieldChecks().require(name !== undefined, 'model', 'must be provider/model').done();
    if (!name) throw new AppError('INTERNAL', 'unreachable: the checks passed without a model');
    requireToken(requester, deps);
    await deps.known.refresh();
    const provider = deps.providers.get(name.provider);
    if (!provider) return failedTest(missingProblem(name, deps));
    return requester.kind === 'operator'
      ? ask(provider, name, { requester, signal }, deps)
      : askMetered(provider, name, { requester, signal }, deps);
  };
}

function missingProblem(
  { provider }: ModelName,
  { providers }: Pick<TestModelDeps, 'providers'>,
): string {
  return providers.findAdded(provider)
    ? `The key of the provider "${provider}" cannot be read: see "daycare model providers".`
    : `The provider "${provider}" is not configured.`;
}

function requireToken(requester: Requester, { takeToken }: Pick<TestModelDeps, 'takeToken'>): void {
  const retryAfterMs = takeToken(
    requester.kind === 'operator' ? '' : (requester.parentUserId ?? requester.userId),
  );
  if (retryAfterMs === 0) return;
  const quota = { subject: 'model tests', description: 'ten in a burst, ten a minute' };
  const message = 'Too many model tests; try again later';
  throw new AppError('RATE_LIMITED', message, { retryAfterMs, quota });
}

async function askMetered(
  provider: ModelProvider,
  { provider: providerName, id }: ModelName,
  { requester, signal }: { requester: Extract<Requester, { kind: 'user' }>; signal: AbortSignal },
  deps: TestModelDeps,
): Promise<ModelTest> {
  const { userId, parentUserId: ownerUserId } = requester;
  // A new id, so that the reservation for this call is not mistaken for one of a real agent.
  const agent = { id: createId(), userId, ownerUserId, foreground: false };
  const metered = await deps.meter.begin({
    agent,
    trust: 'own',
    fence: 0,
    provider: providerName,
    model: id,
    estimateInput: async () => maxInputTokens,
    maxOutputTokens,
  });
  if (metered.kind === 'refused') return failedTest(metered.note);
  return ask(
    provider,
    { provider: providerName, id },
    { requester, signal },
    deps,
    async (answer) => {
      const call = await usageOf(metered, answer);
      const recorded = { ...call, day: dayOf(deps.now()) };
      await deps.usage.addCall(userId, recorded);
      deps.meter.settle({ agentId: agent.id, userId, call: recorded });
    },
  );
}

function usageOf(metered: MeteredCall, answer: ModelAnswer | undefined) {
  return answer ? metered.answered(answer) : metered.failed([]);
}

async function ask(
  provider: ModelProvider,
  model: ModelName,
  { requester, signal }: Pick<TestModelCall, 'requester' | 'signal'>,
  deps: TestModelDeps,
  record: (answer: ModelAnswer | undefined) => Promise<void> = async () => undefined,
): Promise<ModelTest> {
  const startedMs = deps.now().getTime();
  const { signal: end, release } = mergeSignals(signal, AbortSignal.timeout(timeoutMs));
  let answer: ModelAnswer | undefined;
  let problem = '';
  try {
    answer = await provider.answer({
      model: model.id,
      systemPrompt: 'You are being tested.',
      tools: [],
      maxOutputTokens,
      context: [{ role: 'user', text: 'Answer with OK.', files: [] }],
      signal: end,
      onDelta: () => undefined,
    });
  } catch (error) {
    problem = problemOf(model, error, requester, deps);
  } finally {
    release();
  }
  const latencyMs = deps.now().getTime() - startedMs;
  // Outside the try block: a failure to record the usage is not a problem with the model.
  await record(answer);
  return { problem, latencyMs, usage: answer?.usage ?? noUsage };
}

function problemOf(
  model: ModelName,
  error: unknown,
  requester: Requester,
  { configured, providers }: Pick<TestModelDeps, 'configured' | 'providers'>,
): string {
  const verdict = error instanceof ProviderError ? error.verdict : undefined;
  const { code, message } = toAppError(error);
  const reason = code === 'CANCELLED' ? `it took longer than ${timeoutMs / 1000} seconds` : message;
  const added = providers.findAdded(model.provider);
  const correction = added
    ? keyCorrection(added, requester)
    : `correct ${keyVariableOf(model.provider, configured)} of agent-runtime`;
  return testProblem(model, { verdict, correction, reason });
}

/** Only operators are shown the command, because it contains the provider's address. */
function keyCorrection(added: AddedProvider, { kind }: Requester): string {
  return kind === 'operator'
    ? `run "${addCommand(added)}" to replace the key`
    : 'have the operator replace the key';
}

function failedTest(problem: string): ModelTest {
  return { problem, latencyMs: 0, usage: noUsage };
}
