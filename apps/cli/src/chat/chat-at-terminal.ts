import { randomInt } from 'node:crypto';
import type { PermissionDecision, PermissionRequest } from '@daycare/contracts/agent-runtime';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Colours } from '../terminal/colours';
import { historySize, PromptLine } from '../terminal/prompt-line';
import { AnsweredMessages } from './answered-messages';
import { readChatLine } from './chat-line';
import { ChatScreen } from './chat-screen';
import type { Conversation } from './conversation';
import { LineHistory } from './line-history';
import { PermissionQueue } from './permission-queue';
import {
  answerHint,
  permissionDetails,
  permissionOutcome,
  permissionQuestion,
  readDecision,
} from './permission-texts';
import { failureText, runChatCommand } from './run-chat-command';

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: Colours;
  readonly historyFile: string;
  /** The first line. */
  readonly greeting: string;
}

const prompt = '> ';

/** Runs an interactive chat until the person quits or the agent dies. */
export async function chatAtTerminal(
  conversation: Conversation,
  options: TerminalOptions,
): Promise<void> {
  const history = new LineHistory(options.historyFile, historySize);
  const stop = new AbortController();
  const chat = new TerminalChat(conversation, options, { history, lines: await history.load() });
  try {
    await Promise.race([chat.done, chat.follow(stop.signal), chat.watchPermissions(stop.signal)]);
  } finally {
    stop.abort();
    chat.close();
    await history.saved();
  }
}

class TerminalChat {
  readonly done: Promise<void>;
  readonly #conversation: Conversation;
  readonly #colours: Colours;
  readonly #screen: ChatScreen;
  readonly #prompt: PromptLine;
  readonly #history: LineHistory;
  readonly #requests: PermissionQueue;
  readonly #answered = new AnsweredMessages();
  #question: PermissionRequest | undefined;
  /** Part of every answer to the current question. */
  #code = '';
  #quit: () => void = () => undefined;

  constructor(
    conversation: Conversation,
    { input, output, colours, greeting }: TerminalOptions,
    { history, lines }: { history: LineHistory; lines: readonly string[] },
  ) {
    this.done = new Promise((resolve) => (this.#quit = resolve));
    this.#conversation = conversation;
    this.#colours = colours;
    this.#history = history;
    this.#requests = new PermissionQueue(conversation.shows);
    this.#screen = new ChatScreen(() => ({
      colours,
      columns: output.columns || 80,
      rows: output.rows || 24,
      isLive: true,
    }));
    this.#prompt = new PromptLine({
      ...{ input, output, prompt, history: lines },
      onLine: (line) => this.#onLine(line),
      onCancel: (hadText) => this.#onCancel(hadText),
      onLeave: () => this.#quit(),
      savesLine: () => this.#question === undefined,
    });
    this.#prompt.write(colours.dim(`${greeting}\n`));
  }

  /** Shows what the agent receives, does and replies; resolves when it dies. */
  async follow(signal: AbortSignal): Promise<void> {
    const onDisconnect = (): void => this.#notify('Connection lost; reconnecting …');
    for await (const event of this.#conversation.follow(signal, onDisconnect)) {
      if (event.kind === 'record') this.#answered.add(event.record);
      const text =
        event.kind === 'delta'
          ? this.#screen.showDelta(event.delta)
          : this.#screen.showRecord(event.record, event.isOwn);
      this.#prompt.write(text, !this.#screen.isWriting);
      this.#askNext();
    }
    this.#prompt.write('This agent is dead; the chat is over.\n');
  }

  async watchPermissions(signal: AbortSignal): Promise<void> {
    const restart = (): void => this.#requests.restart();
    for await (const event of this.#conversation.followPermissions(restart, signal)) {
      this.#requests.add(event);
      if (this.#question && this.#requests.next?.id !== this.#question.id) this.#clearQuestion();
      if (event?.$case === 'permissionRequest') this.#announce(event.value);
      this.#askNext();
    }
  }

  close(): void {
    this.#prompt.close();
  }

  #onLine(line: string): void {
    if (this.#question) return this.#onDecision(line, this.#question);
    const read = readChatLine(line);
    if (read.kind !== 'empty') this.#history.add(line);
    if (read.kind === 'quit') return this.#quit();
    if (read.kind === 'message') this.#run(this.#conversation.send(read.text).then(() => ''));
    else if (read.kind !== 'empty')
      this.#run(runChatCommand(read, this.#conversation, this.#colours));
    this.#askNext();
  }

  #onDecision(line: string, request: PermissionRequest): void {
    const decision = readDecision(line, this.#code);
    if (decision === undefined) return this.#notify(answerHint(this.#code));
    this.#requests.dismiss(request);
    this.#run(this.#decide(request, decision));
    this.#clearQuestion();
    this.#askNext();
  }

  async #decide(request: PermissionRequest, decision: PermissionDecision): Promise<string> {
    try {
      const decided = await this.#conversation.decide(request, decision);
      return `${this.#colours.dim(permissionOutcome(decided ?? request))}\n`;
    } catch (error) {
      return `${failureText(error, this.#colours)}${this.#colours.dim(stillPending(request))}\n`;
    }
  }

  #onCancel(hadText: boolean): void {
    if (this.#question) {
      this.#requests.dismiss(this.#question);
      this.#notify(stillPending(this.#question));
      this.#clearQuestion();
    } else if (!hadText) this.#stopOrAdvise();
    this.#askNext();
  }

  #stopOrAdvise(): void {
    if (!this.#answered.isBusy && !this.#screen.isWriting)
      return this.#notify('Press Ctrl-D or type /quit to quit.');
    this.#notify('Stopping …');
    this.#run(this.#conversation.stop().then(() => ''));
  }

  /** Never asks in the middle of a line: text typed for the agent must not answer the question. */
  #askNext(): void {
    const { next } = this.#requests;
    if (!next || this.#question || !this.#prompt.isEmpty || this.#screen.isWriting) return;
    this.#question = next;
    this.#code = `${randomInt(10, 100)}`;
    const details = permissionDetails(next);
    if (details !== undefined) this.#notify(details);
    this.#prompt.ask(permissionQuestion(next, this.#code));
  }

  #announce(request: PermissionRequest): void {
    if (this.#prompt.isEmpty || !this.#conversation.shows(request)) return;
    this.#notify('An agent requests a permission; you will be asked after this line.');
  }

  #clearQuestion(): void {
    this.#question = undefined;
    this.#prompt.ask(prompt);
  }

  #run(work: Promise<string>): void {
    void work
      .catch((error: unknown) => failureText(error, this.#colours))
      .then((text) => this.#prompt.add(text));
  }

  #notify(text: string): void {
    this.#prompt.add(this.#colours.dim(`${text}\n`));
  }
}

function stillPending({ id }: PermissionRequest): string {
  return `Still pending; decide with "daycare permission decide ${id} grant" or "deny".`;
}
