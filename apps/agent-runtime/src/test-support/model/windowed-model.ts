import { renderFiles } from '../../agents';
import { TooLongError } from '../../models/domain/too-long-error';
import type {
  ModelAnswer,
  ModelProvider,
  ModelRequest,
} from '../../models/providers/model-provider';

export interface WindowedModelOptions {
  /** In tokens; larger requests are refused. */
  readonly window: number;
  readonly charactersPerToken?: number;
  /** The provider's name. If it is the name of a vendor whose models accept images, requests contain images. */
  readonly name?: string;
  /** The tool calls that the model makes at the start of a turn, given the text of the newest message. */
  readonly callsFor?: (text: string) => readonly { readonly size: number }[];
  /** Replaces the summaries that the model makes by default. */
  readonly summary?: (transcript: string) => string;
}

/** A fact to remember, as it appears in test messages. */
const fact = /FACT-\w+/g;
const isSummaryRequest = ({ systemPrompt }: ModelRequest): boolean =>
  systemPrompt.includes('## Facts');

/**
 * A model that refuses requests larger than its window, as providers do, and reports the size of
 * requests. Its summaries keep the facts; its answers quote the newest message, and name the facts when
 * asked for them.
 */
export class WindowedModel implements ModelProvider {
  readonly name: string;
  readonly requests: ModelRequest[] = [];
  refusals = 0;
  summaries = 0;
  /** The size of the largest request that was accepted, in tokens. */
  largest = 0;
  #pendingCalls: { readonly size: number }[] | undefined;

  constructor(private readonly options: WindowedModelOptions) {
    this.name = options.name ?? 'windowed';
  }

  async answer(request: ModelRequest): Promise<ModelAnswer> {
    const { window, charactersPerToken = 4 } = this.options;
    const inputTokens =
      Math.ceil(charactersOf(request) / charactersPerToken) + imageTokens(request);
    if (inputTokens > window) {
      this.refusals += 1;
      throw new TooLongError();
    }
    this.largest = Math.max(this.largest, inputTokens);
    this.requests.splice(0, Math.max(0, this.requests.length - 50));
    this.requests.push(request);
    const usage = { inputTokens, outputTokens: 10, cachedInputTokens: 0 };
    if (isSummaryRequest(request)) return { text: this.#summarise(request), toolCalls: [], usage };
    const text = newestText(request);
    this.#pendingCalls ??= [...(this.options.callsFor?.(text) ?? [])];
    const nextCall = this.#pendingCalls.shift();
    if (nextCall) return { text: '', toolCalls: [callOf(nextCall)], usage };
    this.#pendingCalls = undefined;
    const facts = text.includes('which facts') ? ` ${factsIn(request).join(' ')}` : '';
    return { text: `Heard: ${text.slice(0, 100)}${facts}`, toolCalls: [], usage };
  }

  #summarise(request: ModelRequest): string {
    this.summaries += 1;
    const transcript = newestText(request);
    const { summary } = this.options;
    if (summary) return summary(transcript);
    const facts = [...new Set(transcript.match(fact))].map((each) => `- ${each}`);
    return ['## Requests', 'Several.', '## Facts', ...facts].join('\n');
  }
}

function callOf({ size }: { readonly size: number }) {
  return { id: `c${size}`, name: 'look', argumentsJson: JSON.stringify({ size }) };
}

function newestText({ context }: ModelRequest): string {
  const last = context.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : '';
}

function factsIn({ context }: ModelRequest): string[] {
  const texts = context.map((message) => ('text' in message ? message.text : ''));
  return [...new Set(texts.join(' ').match(fact))];
}

/** The number of characters in everything that a provider would send. */
function charactersOf({ systemPrompt, context, situation = '', tools }: ModelRequest): number {
  const messages = context.map((message) => {
    if (message.role === 'tool') return message.resultJson;
    const rest =
      message.role === 'assistant'
        ? JSON.stringify(message.toolCalls)
        : renderFiles(message).join('\n');
    return message.text + rest;
  });
  return [systemPrompt, situation, JSON.stringify(tools), ...messages].join('').length;
}

/** The tokens of a request's images, counted as Anthropic does. */
function imageTokens({ context, images }: ModelRequest): number {
  const shown = context.flatMap((message) =>
    message.role === 'user' ? (message.images ?? []) : [],
  );
  return shown
    .filter(({ fileId }) => images?.has(fileId))
    .reduce((sum, { width, height }) => sum + Math.ceil((width * height) / 750), 0);
}
