import { makeOpenAiProvider } from '../runtime/providers/openai-provider';
import { defaultUsage, type ModelWire, type WireAnswer, type WireCall } from './model-wire';

const apiKey = 'sk-test-0123456789';

/** OpenAI's chat completions. */
export const openAiWire: ModelWire = {
  name: 'openai',
  apiKey,
  makeProvider: (baseUrl, limits) =>
    makeOpenAiProvider({
      name: 'openai',
      apiKey,
      baseUrl,
      defaultModel: 'gpt-test',
      ...(limits ? { limits } : {}),
    }),
  events,
  overloaded: data({
    error: { message: 'Overloaded', type: 'server_error', param: null, code: null },
  }),
  declined: 'content_filter',
  error: (status, text, headers = {}) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_test', ...headers },
    steps: [
      JSON.stringify({
        error: { message: text, type: 'invalid_request_error', param: null, code: null },
      }),
    ],
  }),
};

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk(fields: object): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  return data({ ...head, ...fields });
}

function choice(delta: object, finishReason: string | null = null): string {
  return chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
}

function events({ text = [], calls = [], usage = defaultUsage, stop }: WireAnswer): string[] {
  const { input, output, cached } = usage;
  return [
    choice({ role: 'assistant', content: '' }),
    ...text.map((content) => choice({ content })),
    ...calls.flatMap(callChunks),
    choice({}, stop ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    chunk({
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    }),
    'data: [DONE]\n\n',
  ];
}

function callChunks({ id, name, fragments }: WireCall, index: number): string[] {
  const start = { index, id, type: 'function', function: { name, arguments: '' } };
  return [
    choice({ tool_calls: [start] }),
    ...fragments.map((piece) =>
      choice({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ];
}
