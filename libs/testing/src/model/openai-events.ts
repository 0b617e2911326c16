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
  readonly usage?: WireUsage;
  readonly stop?: string;
  /** The model's reasoning before the answer, in chunks; no user sees it. */
  readonly thinking?: readonly string[];
}

export interface WireUsage {
  /** Including tokens read from the provider's cache or written to it. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Tokens written to the cache; only Anthropic reports them. */
  readonly created?: number;
}

export const defaultUsage = { input: 10, output: 5, cached: 0 };

/** Renders one event of the stream. */
export function openAiEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk(fields: object): string {
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-test',
    service_tier: 'default',
    system_fingerprint: null,
  };
  return openAiEvent({ ...head, ...fields });
}

function choice(delta: object, finishReason: string | null = null): string {
  return chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
}

/** Renders an answer as events in OpenAI's streaming chat format. */
export function openAiEvents({
  text = [],
  calls = [],
  usage = defaultUsage,
  stop,
  thinking = [],
}: WireAnswer): string[] {
  const { input, output, cached } = usage;
  return [
    choice({ role: 'assistant', content: '', refusal: null }),
    // Reasoning in the form in which DeepSeek, vLLM and others send it.
    ...thinking.map((piece) => choice({ reasoning_content: piece })),
    ...text.map((content) => choice({ content })),
    ...calls.flatMap(callChunks),
    choice({}, stop ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    chunk({
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
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
