import {
  conversationOf,
  ModelServer,
  openAiEvents,
  type ModelServerReply,
  type SeenRequest,
  type WireMessage,
} from '@daycare/testing';

export interface WindowOptions {
  /** In tokens, for a request and its answer together. */
  readonly window: number;
  /**
   * A lower value turns the same text into more tokens; real tokenisers take about 4 bytes per token for prose,
   * and 2 for markup.
   */
  readonly bytesPerToken: number;
}

/** What the model server of a long conversation has counted. */
export interface ProviderStatistics {
  calls: number;
  summaries: number;
  /** Requests that were refused because they and an answer together would exceed the window. */
  refusals: number;
  /** The size of the largest request that was answered, in tokens. */
  largest: number;
  /** The images in all answered requests. */
  images: number;
}

const messageOverhead = 4;
/** More than any vendor counts for an image of the size that is sent. */
const imageTokens = 1_600;
const answerTokens = 200;
const fact = /FACT-\w+/g;
const turnNumber = /#(\d+)#/;
const maxSummaryFacts = 60;

/**
 * A model server with OpenAI's chat completions API that counts a request's tokens and refuses requests larger than its
 * window, as providers do. It knows only the content of the request: it answers with the number of the newest message,
 * names the facts in the request when asked for them, and summarises from the transcript alone.
 */
export class WindowedServer {
  readonly statistics: ProviderStatistics = {
    calls: 0,
    summaries: 0,
    refusals: 0,
    largest: 0,
    images: 0,
  };
  readonly #options: WindowOptions;
  #server: ModelServer | undefined;

  private constructor(options: WindowOptions) {
    this.#options = options;
  }

  static async start(options: WindowOptions): Promise<WindowedServer> {
    const model = new WindowedServer(options);
    model.#server = await ModelServer.start((request) => model.#respond(request));
    return model;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #respond({ body }: SeenRequest): ModelServerReply {
    // Discards the recorded requests, because those of a long run would not fit into memory.
    this.#server?.requests.splice(0);
    const input = countTokens(body as WireRequest, this.#options.bytesPerToken);
    const { statistics } = this;
    if (input + answerTokens > this.#options.window) {
      statistics.refusals += 1;
      return tooLong(this.#options.window, input);
    }
    statistics.calls += 1;
    statistics.largest = Math.max(statistics.largest, input);
    statistics.images += countImages(body as WireRequest);
    const usage = { input, output: 20, cached: 0 };
    const { messages } = body as WireRequest;
    if (isSummaryRequest(messages)) {
      statistics.summaries += 1;
      return { steps: openAiEvents({ text: [summarise(textOf(messages.at(-1)))], usage }) };
    }
    return { steps: openAiEvents({ ...answer(conversationOf(body)), usage }) };
  }
}

interface WireRequest {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly unknown[];
}

/** Counts everything in the request: text, images, calls and their results, tools, and message separators. */
function countTokens({ messages, tools = [] }: WireRequest, bytesPerToken: number): number {
  const bytes = (value: unknown): number =>
    Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const inMessages = messages.reduce((sum, { content, tool_calls: calls = [] }) => {
    const parts = partsOf(content);
    const images = countImageParts(parts);
    const textBytes =
      parts.length === 0 ? bytes(content) : parts.reduce((all, part) => all + bytes(part.text), 0);
    const callBytes = calls.length === 0 ? 0 : bytes(calls);
    return (
      sum +
      Math.ceil((textBytes + callBytes) / bytesPerToken) +
      messageOverhead +
      images * imageTokens
    );
  }, 0);
  return inMessages + Math.ceil(bytes(tools) / bytesPerToken);
}

function countImages({ messages }: WireRequest): number {
  return messages.reduce((sum, { content }) => sum + countImageParts(partsOf(content)), 0);
}

function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}

function countImageParts(parts: readonly Part[]): number {
  return parts.filter(({ type }) => type === 'image_url').length;
}

interface Part {
  readonly type: string;
  readonly text?: string;
}

/** Refuses a request that is too long, in OpenAI's wording. */
function tooLong(window: number, input: number): ModelServerReply {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${input} tokens.`;
  const error = {
    message,
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  };
  return {
    status: 400,
    headers: { 'content-type': 'application/json' },
    steps: [JSON.stringify({ error })],
  };
}

function isSummaryRequest([first]: readonly WireMessage[]): boolean {
  return first?.role === 'system' && textOf(first).includes('## Facts');
}

/** Keeps the facts in the transcript, and the latest requests. */
function summarise(transcript: string): string {
  const facts = [...new Set(transcript.match(fact))].slice(0, maxSummaryFacts);
  const requests = [...transcript.matchAll(/#(\d+)# (\w+)/g)].slice(-20);
  return [
    '## Requests',
    ...requests.map(([, number, word]) => `${word} (${number}) was answered.`),
    '## Facts',
    ...facts.map((text) => `- ${text}`),
  ].join('\n');
}

function answer(messages: readonly WireMessage[]) {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const request = textOf(messages[at]);
  const number = turnNumber.exec(request)?.[1] ?? '';
  const hasCalledTools = messages.length > at + 1;
  if (!hasCalledTools && request.includes('# prepare')) return { calls: [writeCall(number)] };
  if (!hasCalledTools && request.includes('# look')) return { calls: readCalls(number) };
  if (!request.includes('which facts')) return { text: [`Answer to ${number}.`] };
  const facts = new Set(messages.map(textOf).join(' ').match(fact));
  return { text: [`Answer to ${number}. I know ${[...facts].sort().join(' ')}.`] };
}

const path = 'home/long.txt';

function writeCall(number: string) {
  const content = Array.from({ length: 500 }, (_, at) => `line ${at} ${'y'.repeat(50)}`).join('\n');
  return call(`w${number}`, 'file_write', { path, content });
}

/** Several calls in one answer, each with a large result. */
function readCalls(number: string) {
  return [0, 100, 200, 300].map((offset) =>
    call(`r${number}-${offset}`, 'file_read', { path, offset }),
  );
}

function call(id: string, name: string, args: object) {
  return { id, name, fragments: [JSON.stringify(args)] };
}

function textOf(message: WireMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  return partsOf(content)
    .map(({ text = '' }) => text)
    .join('\n');
}
