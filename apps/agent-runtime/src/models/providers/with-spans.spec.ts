import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { ask, failureOf } from '../../test-support/model/ask-model';
import type { ModelProvider } from './model-provider';
import { withSpans, type StartClientSpan } from './with-spans';

const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 };
const provider: ModelProvider = {
  name: 'own',
  answer: async () => ({ text: 'secret words', toolCalls: [], usage }),
};

/** Collects spans as plain objects. */
function collectSpans() {
  const spans: { name: string; attributes: object; end?: string }[] = [];
  const startSpan: StartClientSpan = (name) => {
    const span: (typeof spans)[number] = { name, attributes: {} };
    spans.push(span);
    return {
      traceparent: '',
      set: (attributes) => void Object.assign(span.attributes, attributes),
      end: (failure = 'ok') => void (span.end = failure),
    };
  };
  return { spans, startSpan };
}

describe('withSpans', () => {
  it('describes a request with OpenTelemetry attributes, without its text', async () => {
    const { spans, startSpan } = collectSpans();
    await ask(withSpans(provider, startSpan), { model: 'm1', maxOutputTokens: 16 });
    expect(spans).toEqual([
      {
        name: 'chat m1',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'own',
          'gen_ai.request.model': 'm1',
          'gen_ai.request.max_tokens': 16,
          'gen_ai.usage.input_tokens': 7,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.usage.cache_read.input_tokens': 2,
          'gen_ai.response.finish_reasons': ['stop'],
        },
        end: 'ok',
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it.each([
    ['length', { isTruncated: true }],
    ['tool_calls', { toolCalls: [{ id: 'c1', name: 'wave', argumentsJson: '{}' }] }],
  ] as const)('reports the finish reason %s', async (reason, more) => {
    const { spans, startSpan } = collectSpans();
    const answer = async () => ({ text: '', toolCalls: [], usage, ...more });
    await ask(withSpans({ name: 'own', answer }, startSpan));
    expect(spans).toMatchObject([{ attributes: { 'gen_ai.response.finish_reasons': [reason] } }]);
  });

  it('ends the span of a failed request with the error code', async () => {
    const { spans, startSpan } = collectSpans();
    const answer = async () => {
      throw new AppError('UNAVAILABLE', 'no');
    };
    expect(await failureOf(withSpans({ name: 'own', answer }, startSpan))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(spans).toMatchObject([
      { attributes: { 'error.type': 'UNAVAILABLE' }, end: 'UNAVAILABLE' },
    ]);
  });

  it('answers an unsampled request, but records no span for it', async () => {
    expect((await ask(withSpans(provider, () => undefined))).text).toBe('secret words');
    expect(withSpans(provider)).toBe(provider);
  });
});
