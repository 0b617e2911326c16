import { randomInt } from 'node:crypto';
import type { PermissionDecision, PermissionRequest } from '@daycare/contracts/agent-runtime';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Colours } from '../terminal/colours';
import { historySize, PromptLine } from '../terminal/prompt-line';
import { ActivityPrompt } from './activity/activity-prompt';
import { AnsweredMessages } from './answered-messages';
import { readChatLine, type ChatCommand } from './input/chat-line';
import { ChatScreen } from './screen/chat-screen';
import type { ChatEvent, Conversation } from './conversation';
import { droppedPaths } from './input/dropped-paths';
import { LineHistory } from './input/line-history';
import { pasteFilter, pasteMode, unfoldLine } from './input/paste';
import { PermissionQueue } from './permission-queue';
import {
  answerHint,
  permissionDetails,
  permissionOutcome,
  permissionQuestion,
  readDecision,
} from './permission-wording';
import { failureText, runChatCommand } from './run-chat-command';
import type { Speakers } from '../names/speakers';

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: Colours;
  readonly historyFile: string;
  /** The text shown when the chat opens. */
  readonly greeting: string;
  readonly speakers: Speakers;
}

const prompt = '> ';
/** A second Ctrl-C within this time quits. */
const quitWithinMs = 2_000;

/** Runs an interactive chat until the person quits or the agent dies. */
export async function chatAtTerminal(
  conversation: Conversation,
  options: TerminalOptions,
): Promise<void> {
  const history = new LineHistory(options.historyFile, historySize);
  const stop = new AbortController();
  const lines = await history.load();
  const chat = new TerminalChat(conversation, options, { history, lines, signal: stop.signal });
  try {
    await Promise.race([chat.done, chat.follow(stop.signal), chat.watchPermissions(stop.signal)]);
  } finally {
    stop.abort();
    chat.close();
    await history.saved();
  }
}

interface ChatState {
  readonly history: LineHistory;
  readonly lines: readonly string[];
  /** Aborts when the chat ends. */
  readonly signal: AbortSignal;
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
  readonly #activity: ActivityPrompt;
  readonly #speakers: Speakers;
  readonly #signal: AbortSignal;
  readonly #output: WriteStream;
  #lastCancelMs = -Infinity;
  #question: PermissionRequest | undefined;
  /** The code that an answer to the current question must repeat. */
  #code = '';
  #quit: () => void = () => undefined;

  constructor(
    conversation: Conversation,
    { input, output, colours, greeting, speakers }: TerminalOptions,
    { history, lines, signal }: ChatState,
  ) {
    this.done = new Promise((resolve) => (this.#quit = resolve));
    this.#conversation = conversation;
    this.#colours = colours;
    this.#history = history;
    this.#speakers = speakers;
    this.#signal = signal;
    this.#output = output;
    this.#requests = new PermissionQueue(conversation.shows);
    this.#screen = new ChatScreen(
      () => ({ colours, columns: output.columns || 80, rows: output.rows || 24, isLive: true }),
      speakers.nameOf,
    );
    const keys = pasteFilter(input, { onLongPaste: (text) => this.#attachPaste(text) });
    output.write(pasteMode.on);
    this.#prompt = new PromptLine({
      input: keys,
      output,
      prompt,
      history: lines,
      onLine: (line) => this.#onLine(line),
      onCancel: (hadText) => this.#onCancel(hadText),
      onLeave: () => this.#quit(),
      savesLine: () => this.#question === undefined,
    });
    this.#activity = new ActivityPrompt({
      dim: colours.dim,
      setPrompt: (text) => {
        if (!this.#question) this.#prompt.ask(text);
      },
      findBlocker: () => conversation.findBlocker(),
    });
    this.#prompt.write(colours.dim(`${greeting}\n`));
  }

  /** Shows the messages that the agent receives, its tool calls and its replies; resolves when the agent dies. */
  async follow(signal: AbortSignal): Promise<void> {
    const onDisconnect = (): void => this.#notify('Connection lost; reconnecting…');
    for await (const event of this.#conversation.follow(signal, onDisconnect)) {
      const text = await this.#textOf(event);
      this.#prompt.write(text, !this.#screen.isWriting);
      this.#showActivity(event);
      this.#askNext();
    }
    this.#prompt.write('This agent is dead; the chat is over.\n');
  }

  async #textOf(event: ChatEvent): Promise<string> {
    if (event.kind === 'tool') return '';
    if (event.kind === 'delta') return this.#screen.showDelta(event.delta);
    const { record, isOwn } = event;
    this.#answered.add(record);
    await this.#speakers.prepare([record]);
    return this.#screen.showRecord(record, isOwn);
  }

  #showActivity(event: ChatEvent): void {
    if (event.kind === 'tool' && event.isRunning)
      this.#activity.enter({ kind: 'running', tool: event.tool });
    else this.#activity.enter({ kind: this.#answered.isBusy ? 'thinking' : 'idle' });
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
    this.#activity.close();
    this.#prompt.close();
    this.#output.write(pasteMode.off);
  }

  #onLine(line: string): void {
    if (this.#question) return this.#onDecision(line, this.#question);
    const dropped = droppedPaths(line);
    for (const path of dropped) this.#run(this.#runCommand({ kind: 'attach', path }));
    if (dropped.length > 0) return;
    const parsed = readChatLine(unfoldLine(line));
    if (parsed.kind !== 'empty') this.#history.add(line);
    if (parsed.kind === 'quit') return this.#quit();
    if (parsed.kind === 'message') this.#run(this.#send(parsed.text));
    else if (parsed.kind !== 'empty') this.#run(this.#runCommand(parsed));
    this.#askNext();
  }

  #runCommand(command: ChatCommand): Promise<string> {
    const style = { colours: this.#colours, speakers: this.#speakers };
    return runChatCommand(command, this.#conversation, style);
  }

  async #send(text: string): Promise<string> {
    if (this.#activity.isIdle) this.#activity.enter({ kind: 'sending' });
    const onWait = (): void =>
      this.#notify('The service is not responding; your message will be sent when it is back.');
    try {
      await this.#conversation.send(text, { onWait, signal: this.#signal });
    } catch (error) {
      this.#activity.enter({ kind: this.#answered.isBusy ? 'thinking' : 'idle' });
      throw error;
    }
    return '';
  }

  #attachPaste(text: string): void {
    const lines = text.split('\n').length;
    const attached = this.#conversation
      .attachText('pasted.txt', text)
      .then(
        () => `Attached the pasted text (${lines} lines); it goes out with your next message.\n`,
      );
    this.#run(attached);
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

  /**
   * Handles Ctrl-C on an empty line: stops the agent, or explains how to quit if there is nothing to stop. A second
   * Ctrl-C soon afterwards quits in either case.
   */
  #stopOrAdvise(): void {
    const isSecond = performance.now() - this.#lastCancelMs < quitWithinMs;
    this.#lastCancelMs = performance.now();
    if (isSecond) return this.#quit();
    if (!this.#answered.isBusy && !this.#screen.isWriting)
      return this.#notify('Press Ctrl-C again, press Ctrl-D or type /quit to quit.');
    this.#notify('Stopping… Press Ctrl-C again to quit.');
    this.#run(this.#conversation.stop().then(() => ''));
  }

  /**
   * Asks about the next permission request, but not while a reply is being written, and not while the person is typing,
   * because text typed for the agent must not answer the question.
   */
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
    this.#notify(
      'An agent is requesting a permission; send or clear this line to see the question.',
    );
  }

  #clearQuestion(): void {
    this.#question = undefined;
    this.#activity.draw();
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
