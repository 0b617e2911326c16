import type { ModelAnswer, ModelProvider, ModelRequest } from './model-provider';
import { CallClock, defaultCallLimits, type CallLimits } from './call-clock';
import { toProviderError } from './provider-error';
import { readAnswer } from './sdk-answer';
import { toSdkPrompt, toSdkTools, toSituation } from './sdk-prompt';
import type { SdkModel, SdkPrompt } from './sdk-types';

export interface SdkProviderDeps {
  readonly name: string;
  readonly modelOf: (model: string) => SdkModel;
  /** Adds provider-specific options to a prompt. */
  readonly prepare?: (prompt: SdkPrompt) => SdkPrompt;
  readonly limits?: CallLimits | undefined;
}

/** Makes a provider from the SDK's models. One call is one request; `withRetries` adds retries. */
export function makeSdkProvider(deps: SdkProviderDeps): ModelProvider {
  const { name, limits = defaultCallLimits } = deps;
  return {
    name,
    async answer(request) {
      const clock = new CallClock(request.signal, limits);
      try {
        return await requestAnswer(deps, request, clock);
      } catch (error) {
        throw clock.failure ?? toProviderError(error);
      } finally {
        clock.stop();
      }
    },
  };
}

/** A `fetch` that follows no redirects: the API key is meant only for the configured address. */
export const fetchDirectly: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: 'manual' });

async function requestAnswer(
  { modelOf, prepare = (prompt) => prompt }: SdkProviderDeps,
  {
    model,
    systemPrompt,
    context,
    images,
    situation = '',
    tools,
    maxOutputTokens,
    onDelta,
  }: ModelRequest,
  clock: CallClock,
): Promise<ModelAnswer> {
  const { stream } = await modelOf(model).doStream({
    prompt: [...prepare(toSdkPrompt(systemPrompt, context, images)), ...toSituation(situation)],
    tools: toSdkTools(tools),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    abortSignal: clock.signal,
    // Raw chunks include keep-alives, which reset the idle limit.
    includeRawChunks: true,
  });
  return readAnswer(stream, { onDelta, onPart: () => clock.touch() });
}
