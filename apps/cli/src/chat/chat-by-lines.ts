import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { exitCodes, type ExitCode } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { noColours } from '../terminal/colours';
import { AnsweredMessages, type AnswerState } from './answered-messages';
import { readChatLine, type ChatLine } from './chat-line';
import type { Conversation } from './conversation';
import { permissionNotice } from './permission-words';
import { runChatLine } from './run-chat-line';

export interface LineOptions {
  readonly input: NodeJS.ReadableStream;
  readonly write: (text: string) => void;
  readonly showRecord: (record: HistoryRecord, isOwn: boolean) => Promise<void>;
  /** For each line's answer. */
  readonly waitMs: number;
}

/**
 * Says each line of the input, the next when the one before is answered, and shows what the agent
 * makes of it. Answers with how it ended; failed when an agent gave up on a line.
 */
export async function chatByLines(
  conversation: Conversation,
  options: LineOptions,
): Promise<ExitCode> {
  const over = new AbortController();
  const chat = new LineChat(conversation, options);
  try {
    const watching = [chat.follow(over.signal), chat.watchPermissions(over.signal)];
    return await Promise.race([chat.sayAll(), ...watching]);
  } finally {
    over.abort();
  }
}

class LineChat {
  readonly #conversation: Conversation;
  readonly #options: LineOptions;
  readonly #answered = new AnsweredMessages();
  #onRecord: () => void = () => undefined;

  constructor(conversation: Conversation, options: LineOptions) {
    this.#conversation = conversation;
    this.#options = options;
  }

  async sayAll(): Promise<ExitCode> {
    let exitCode: ExitCode = exitCodes.ok;
    for await (const line of createInterface({ input: this.#options.input })) {
      const read = readChatLine(line);
      if (read.kind === 'quit') break;
      if ((await this.#handle(read)) === 'failed') exitCode = exitCodes.failure;
    }
    return exitCode;
  }

  async #handle(read: Exclude<ChatLine, { kind: 'quit' }>): Promise<AnswerState | undefined> {
    if (read.kind === 'nothing') return undefined;
    if (read.kind === 'say') return this.#answerTo(await this.#conversation.say(read.text));
    this.#options.write(await runChatLine(read, this.#conversation, noColours));
    return undefined;
  }

  async #answerTo(messageId: string): Promise<AnswerState> {
    const late = new AbortController();
    const tooLate = delay(this.#options.waitMs, undefined, { signal: late.signal }).then(() => {
      throw noAnswer();
    });
    try {
      return await Promise.race([this.#whenAnswered(messageId), tooLate]);
    } finally {
      late.abort();
      await tooLate.catch(() => undefined);
    }
  }

  #whenAnswered(messageId: string): Promise<AnswerState> {
    return new Promise((resolve) => {
      this.#onRecord = () => {
        const state = this.#answered.stateOf(messageId);
        if (state) resolve(state);
      };
      this.#onRecord();
    });
  }

  /** Resolves never, or throws: the input decides when it is over. */
  async follow(signal: AbortSignal): Promise<never> {
    for await (const event of this.#conversation.follow(signal)) {
      if (event.kind !== 'record') continue;
      await this.#options.showRecord(event.record, event.isOwn);
      this.#answered.hear(event.record);
      this.#onRecord();
    }
    throw new Failure(exitCodes.failure, 'The agent is dead and will not answer.');
  }

  async watchPermissions(signal: AbortSignal): Promise<never> {
    const told = new Set<string>();
    const nothing = (): void => undefined;
    for await (const event of this.#conversation.followPermissions(nothing, signal)) {
      if (event?.$case !== 'permissionRequest' || told.has(event.value.id)) continue;
      told.add(event.value.id);
      if (this.#conversation.shows(event.value))
        this.#options.write(`${permissionNotice(event.value)}\n`);
    }
    throw new Failure(exitCodes.unavailable, 'The service no longer tells of permission requests.');
  }
}

function noAnswer(): Failure {
  return new Failure(
    exitCodes.unavailable,
    'There is no answer yet; your message is safe and will be handled.',
    'Follow it with "daycare agent watch".',
  );
}
