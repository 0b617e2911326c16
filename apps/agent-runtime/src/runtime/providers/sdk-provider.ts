import { AppError } from '@daycare/errors';
import type { ModelAnswer, ModelProvider, ModelRequest } from '../model-provider';
import { CallClock, defaultCallLimits, type CallLimits } from './call-clock';
import { toProviderError } from './provider-error';
import { readAnswer } from './sdk-answer';
import { toSdkPrompt, toSdkTools } from './sdk-prompt';
import type { SdkModel, SdkPrompt } from './sdk-types';

export interface SdkProviderParts {
  readonly name: string;
  /** Empty when every agent has to name its own. */
  readonly defaultModel: string;
  readonly modelOf: (model: string) => SdkModel;
  /** Adds to a prompt what only this provider knows. */
  readonly prepare?: (prompt: SdkPrompt) => SdkPrompt;
  readonly limits?: CallLimits | undefined;
}

/** A provider on a model of the SDK. One call is one request: retries are `withRetries`. */
export function makeSdkProvider(parts: SdkProviderParts): ModelProvider {
  const { name, defaultModel, limits = defaultCallLimits } = parts;
  return {
    name,
    defaultModel,
    async answer(request) {
      const clock = new CallClock(request.signal, limits);
      try {
        return await ask(parts, request, clock);
      } catch (error) {
        throw clock.ending ?? toProviderError(error);
      } finally {
        clock.stop();
      }
    },
  };
}

/** Follows no redirect: the key is for the configured address only. */
export const fetchDirectly: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: 'manual' });

async function ask(
  { defaultModel, modelOf, prepare = (prompt) => prompt }: SdkProviderParts,
  { model, systemPrompt, context, tools, onDelta }: ModelRequest,
  clock: CallClock,
): Promise<ModelAnswer> {
  const { stream } = await modelOf(chooseModel(model, defaultModel)).doStream({
    prompt: prepare(toSdkPrompt(systemPrompt, context)),
    tools: toSdkTools(tools),
    abortSignal: clock.signal,
    // With them, signs of life that carry nothing are seen too.
    includeRawChunks: true,
  });
  return readAnswer(stream, { onDelta, onPart: () => clock.touch() });
}

function chooseModel(model: string, defaultModel: string): string {
  const chosen = model || defaultModel;
  if (chosen === '') throw new AppError('FAILED_PRECONDITION', 'no model is chosen for this agent');
  return chosen;
}
