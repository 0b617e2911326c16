import { AppError } from '@daycare/api';
import type { TokenUsage, ToolCall } from '../../agents';
import type { ModelAnswer } from '../model-provider';
import type { SdkFinish, SdkPart, SdkStream } from './sdk-types';

/** In characters of text and arguments; far more than any model writes in one answer. */
const maxAnswerLength = 2_000_000;

export interface AnswerListener {
  readonly onDelta: (text: string) => void;
  /** Called for every part of the stream, relevant or not. */
  readonly onPart: () => void;
}

/** Reads a model's stream to its end. Throws the error that the provider reports, or if the end is missing. */
export async function readAnswer(
  stream: SdkStream,
  { onDelta, onPart }: AnswerListener,
): Promise<ModelAnswer> {
  const answer = new AnswerBuilder(onDelta);
  for await (const part of stream) {
    onPart();
    if (part.type === 'finish') return answer.finish(part);
    answer.take(part);
  }
  throw endedTooEarly();
}

function endedTooEarly(): AppError {
  return new AppError('UNAVAILABLE', 'the model provider ended its answer too early');
}

class AnswerBuilder {
  readonly #toolCalls: ToolCall[] = [];
  #text = '';
  #length = 0;

  constructor(private readonly onDelta: (text: string) => void) {}

  take(part: SdkPart): void {
    // `toProviderError` turns it into an AppError.
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') this.#addText(part.delta);
    if (part.type === 'tool-input-delta') this.#count(part.delta);
    if (part.type === 'tool-call') this.#addCall(part.toolCallId, part.toolName, part.input);
  }

  finish({ usage, finishReason }: SdkFinish): ModelAnswer {
    // Some packages report the end of a stream that was cut like this.
    if (finishReason.unified === 'other' && finishReason.raw === undefined) throw endedTooEarly();
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
    // Some providers send nothing for a call without arguments.
    this.#toolCalls.push({ id: ownId, name, argumentsJson: argumentsJson || '{}' });
  }

  #count({ length }: string): void {
    this.#length += length;
    if (this.#length > maxAnswerLength)
      throw new AppError('FAILED_PRECONDITION', "the model's answer was too long");
  }
}

function toUsage({ inputTokens, outputTokens }: SdkFinish['usage']): TokenUsage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
  };
}
