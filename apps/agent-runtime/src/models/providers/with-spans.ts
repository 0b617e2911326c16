import { toAppError } from '@daycare/api';
import type { ServiceKit } from '@daycare/service-kit';
import type { ModelAnswer, ModelProvider, ModelRequest } from './model-provider';

export type StartClientSpan = ServiceKit['tracing']['startClientSpan'];

/** Makes a provider record a span for each sampled request, with OpenTelemetry's `gen_ai` attributes. */
export function withSpans(provider: ModelProvider, startSpan?: StartClientSpan): ModelProvider {
  if (!startSpan) return provider;
  const { name } = provider;
  return {
    name,
    async answer(request) {
      const span = startSpan(`chat ${request.model}`, request.traceparent);
      if (!span) return provider.answer(request);
      span.set(attributesOf(name, request));
      try {
        const answer = await provider.answer(request);
        span.set(outcomeOf(answer));
        span.end();
        return answer;
      } catch (error) {
        const { code } = toAppError(error);
        span.set({ 'error.type': code });
        span.end(code);
        throw error;
      }
    },
  };
}

function attributesOf(provider: string, { model, maxOutputTokens }: ModelRequest) {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    ...(maxOutputTokens === undefined ? {} : { 'gen_ai.request.max_tokens': maxOutputTokens }),
  };
}

/** Contains no text of the answer, which is private to the user. */
function outcomeOf({ usage, toolCalls, isTruncated }: ModelAnswer) {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.response.finish_reasons': [
      isTruncated ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop',
    ],
  };
}
