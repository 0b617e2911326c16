import { AppError } from '@daycare/errors';
import type { TokenUsage, ToolCall } from '../../domain/history-record';
import type { ModelAnswer } from '../model-provider';
import type { SdkFinish, SdkPart, SdkStream } from './sdk-types';

/** In characters, text and arguments together; far more than any model writes at once. */
const maxAnswerLength = 2_000_000;

export interface AnswerListener {
  readonly onDelta: (text: string) => void;
  /** Called for everything that comes, also what is of no interest to anybody. */
  readonly onPart: () => void;
}

/** Reads a model's stream to its end. Throws what the provider reports, and when the end is missing. */
export async function readAnswer(
  stream: SdkStream,
  { onDelta, onPart }: AnswerListener,
): Promise<ModelAnswer> {
  const answer = new AnswerSoFar(onDelta);
  for await (const part of stream) {
    onPart();
    if (part.type === 'finish') return answer.finish(part);
    answer.take(part);
  }
  throw new AppError('UNAVAILABLE', 'the answer of the model provider broke off');
}

class AnswerSoFar {
  readonly #toolCalls: ToolCall[] = [];
  #text = '';
  #length = 0;

  constructor(private readonly onDelta: (text: string) => void) {}

  take(part: SdkPart): void {
    // Whatever the SDK made of it, the funnel makes an AppError of it.
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') this.#addText(part.delta);
    if (part.type === 'tool-input-delta') this.#count(part.delta);
    if (part.type === 'tool-call') this.#addCall(part.toolCallId, part.toolName, part.input);
  }

  finish({ usage, finishReason }: SdkFinish): ModelAnswer {
    if (finishReason.unified === 'content-filter')
      throw new AppError('FAILED_PRECONDITION', 'the model declined to answer');
    return { text: this.#text, toolCalls: this.#toolCalls, usage: toUsage(usage) };
  }

  #addText(delta: string): void {
    if (delta === '') return;
    this.#count(delta);
    this.#text += delta;
    this.onDelta(delta);
  }

  #addCall(id: string, name: string, argumentsJson: string): void {
    const isTaken = this.#toolCalls.some((call) => call.id === id);
    const ownId = isTaken ? `${id}-${this.#toolCalls.length}` : id;
    // A call without arguments comes as nothing at all from some.
    this.#toolCalls.push({ id: ownId, name, argumentsJson: argumentsJson || '{}' });
  }

  #count({ length }: string): void {
    this.#length += length;
    if (this.#length > maxAnswerLength)
      throw new AppError('FAILED_PRECONDITION', 'the answer of the model was too long');
  }
}

function toUsage({ inputTokens, outputTokens }: SdkFinish['usage']): TokenUsage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
  };
}
