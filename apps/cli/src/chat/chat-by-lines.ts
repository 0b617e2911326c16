import { createInterface } from 'node:readline';
import { withTimeout } from '@daycare/async';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { noReplyYet } from '../client/no-reply-yet';
import { exitCodes, type ExitCode } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { noColours } from '../terminal/colours';
import { AnsweredMessages, type AnswerState } from './answered-messages';
import { readChatLine, type ChatLine } from './input/chat-line';
import type { Conversation } from './conversation';
import { permissionNotice } from './permission-wording';
import { runChatCommand } from './run-chat-command';

export interface LineOptions {
  readonly input: NodeJS.ReadableStream;
  readonly write: (text: string) => void;
  readonly showRecord: (record: HistoryRecord, isOwn: boolean) => Promise<void>;
  /** How long to wait for each reply. */
  readonly waitMs: number;
}

/**
 * Handles the input line by line: runs chat commands, ignores empty lines, and sends any other line as a message, after
 * which it waits for the answer. Shows the agent's records as they arrive. Resolves with an exit code, which indicates
 * a failure if the agent gave up on a message or was stopped while it worked on one. Throws if an answer is late or the
 * agent dies.
 */
export async function chatByLines(
  conversation: Conversation,
  options: LineOptions,
): Promise<ExitCode> {
  const stop = new AbortController();
  const chat = new LineChat(conversation, options);
  try {
    const watching = [chat.follow(stop.signal), chat.watchPermissions(stop.signal)];
    return await Promise.race([chat.sendAll(), ...watching]);
  } finally {
    stop.abort();
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

  async sendAll(): Promise<ExitCode> {
    let exitCode: ExitCode = exitCodes.ok;
    for await (const line of createInterface({ input: this.#options.input })) {
      const parsed = readChatLine(line);
      if (parsed.kind === 'quit') break;
      if ((await this.#handle(parsed)) === 'failed') exitCode = exitCodes.failure;
    }
    return exitCode;
  }

  async #handle(parsed: Exclude<ChatLine, { kind: 'quit' }>): Promise<AnswerState | undefined> {
    if (parsed.kind === 'empty') return undefined;
    if (parsed.kind === 'message')
      return this.#awaitAnswer(await this.#conversation.send(parsed.text));
    this.#options.write(await runChatCommand(parsed, this.#conversation, { colours: noColours }));
    return undefined;
  }

  async #awaitAnswer(messageId: string): Promise<AnswerState> {
    return withTimeout(this.#whenAnswered(messageId), this.#options.waitMs, () => noReplyYet());
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

  /** Shows the agent's records as they arrive. Never resolves; throws when the agent dies. */
  async follow(signal: AbortSignal): Promise<never> {
    for await (const event of this.#conversation.follow(signal)) {
      if (event.kind !== 'record') continue;
      await this.#options.showRecord(event.record, event.isOwn);
      this.#answered.add(event.record);
      this.#onRecord();
    }
    throw new Failure(exitCodes.failure, 'This agent is dead and will not reply.');
  }

  async watchPermissions(signal: AbortSignal): Promise<never> {
    const seen = new Set<string>();
    const noop = (): void => undefined;
    for await (const event of this.#conversation.followPermissions(noop, signal)) {
      if (event?.$case !== 'permissionRequest' || seen.has(event.value.id)) continue;
      seen.add(event.value.id);
      if (this.#conversation.shows(event.value))
        this.#options.write(`${permissionNotice(event.value)}\n`);
    }
    throw new Failure(exitCodes.unavailable, 'The stream of permission requests has ended.');
  }
}
