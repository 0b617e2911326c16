export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The arguments in the chunks they arrive in. */
  readonly fragments: readonly string[];
}

/** A model's answer in the chunks it arrives in. */
export interface WireAnswer {
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached: number };
  readonly stop?: string;
}

export const defaultUsage = { input: 10, output: 5, cached: 0 };

/** One event of the stream. */
export function openAiEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk(fields: object): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  return openAiEvent({ ...head, ...fields });
}

function choice(delta: object, finishReason: string | null = null): string {
  return chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
}

/** The events of an answer in OpenAI's streaming chat format. */
export function openAiEvents({
  text = [],
  calls = [],
  usage = defaultUsage,
  stop,
}: WireAnswer): string[] {
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
