import { AppError } from '@daycare/api';
import { noUsage, type TokenUsage, type ToolCall } from '../../agents';
import type { ModelAnswer } from './model-provider';
import type { SdkFinish, SdkPart, SdkStream } from './sdk-types';

/** The limit for an answer's text and arguments: the answer's record must fit into a message of 4 MiB. */
const maxAnswerBytes = 2_000_000;

export interface AnswerListener {
  readonly onDelta: (text: string) => void;
  /** Called for every part of the stream, relevant or not. */
  readonly onPart: () => void;
}

/**
 * Reads a model's stream to its end, or until the answer becomes too long. Throws the error that the provider
 * reports, or an AppError if the stream ends early or the model declines to answer.
 */
export async function readAnswer(
  stream: SdkStream,
  { onDelta, onPart }: AnswerListener,
): Promise<ModelAnswer> {
  const answer = new AnswerBuilder(onDelta);
  for await (const part of stream) {
    onPart();
    if (part.type === 'finish') return answer.finish(part);
    answer.take(part);
    if (answer.isTooLong) return answer.truncated();
  }
  throw endedTooEarly();
}

function endedTooEarly(): AppError {
  return new AppError('UNAVAILABLE', 'the model provider ended its answer too early');
}

class AnswerBuilder {
  readonly #toolCalls: ToolCall[] = [];
  #text = '';
  #bytes = 0;
  #argumentBytes = 0;

  constructor(private readonly onDelta: (text: string) => void) {}

  take(part: SdkPart): void {
    // `toProviderError` turns the error into an AppError.
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') this.#addText(part.delta);
    if (part.type === 'tool-input-delta') this.#argumentBytes += Buffer.byteLength(part.delta);
    if (part.type === 'tool-call') this.#addCall(part.toolCallId, part.toolName, part.input);
  }

  finish({ usage, finishReason }: SdkFinish): ModelAnswer {
    // This is how some packages report the end of an interrupted stream.
    if (finishReason.unified === 'other' && finishReason.raw === undefined) throw endedTooEarly();
    if (finishReason.unified === 'content-filter')
      throw new AppError('FAILED_PRECONDITION', 'the model declined to answer');
    const truncation = finishReason.unified === 'length' ? ({ isTruncated: true } as const) : {};
    return { text: this.#text, toolCalls: this.#toolCalls, usage: toUsage(usage), ...truncation };
  }

  get isTooLong(): boolean {
    return Math.max(this.#bytes, this.#argumentBytes) > maxAnswerBytes;
  }

  /** Returns the text read so far, without tool calls. */
  truncated(): ModelAnswer {
    return { text: this.#text, toolCalls: [], usage: noUsage, isTruncated: true };
  }

  #addText(delta: string): void {
    if (delta === '') return;
    const bytesLeft = maxAnswerBytes - this.#bytes;
    this.#bytes += Buffer.byteLength(delta);
    // Each UTF-16 unit of the string takes at most three bytes.
    const text = this.isTooLong ? delta.slice(0, Math.floor(bytesLeft / 3)) : delta;
    this.#text += text;
    this.onDelta(text);
  }

  #addCall(id: string, name: string, argumentsJson: string): void {
    this.#bytes +=
      Buffer.byteLength(id) + Buffer.byteLength(name) + Buffer.byteLength(argumentsJson);
    if (this.isTooLong) return;
    const isTaken = this.#toolCalls.some((call) => call.id === id);
    const uniqueId = isTaken ? `${id}-${this.#toolCalls.length}` : id;
    // For a call without arguments, some providers send an empty string.
    this.#toolCalls.push({ id: uniqueId, name, argumentsJson: argumentsJson || '{}' });
  }
}

function toUsage({ inputTokens, outputTokens }: SdkFinish['usage']): TokenUsage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
  };
}
