import type { PermissionDecision, PermissionRequest } from '@daycare/contracts/agent-runtime';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Colours } from '../terminal/colours';
import { historySize, PromptLine } from '../terminal/prompt-line';
import { readChatLine } from './chat-line';
import { ChatScreen } from './chat-screen';
import type { Conversation } from './conversation';
import { LineHistory } from './line-history';
import { PermissionQueue } from './permission-queue';
import {
  longReason,
  permissionOutcome,
  permissionQuestion,
  readDecision,
} from './permission-words';
import { failureText, runChatLine } from './run-chat-line';

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: Colours;
  readonly historyFile: string;
  /** Shown first. */
  readonly greeting: string;
}

const prompt = '> ';

/** Lets a person talk at a terminal until they leave or the agent dies. */
export async function chatAtTerminal(
  conversation: Conversation,
  options: TerminalOptions,
): Promise<void> {
  const history = new LineHistory(options.historyFile, historySize);
  const over = new AbortController();
  const chat = new TerminalChat(conversation, options, { history, lines: await history.load() });
  try {
    await Promise.race([chat.left, chat.follow(over.signal), chat.watchPermissions(over.signal)]);
  } finally {
    over.abort();
    chat.close();
    await history.saved();
  }
}

class TerminalChat {
  readonly left: Promise<void>;
  readonly #conversation: Conversation;
  readonly #colours: Colours;
  readonly #screen: ChatScreen;
  readonly #prompt: PromptLine;
  readonly #history: LineHistory;
  readonly #requests: PermissionQueue;
  #asked: PermissionRequest | undefined;
  #leave: () => void = () => undefined;

  constructor(
    conversation: Conversation,
    { input, output, colours, greeting }: TerminalOptions,
    { history, lines }: { history: LineHistory; lines: readonly string[] },
  ) {
    this.left = new Promise((resolve) => (this.#leave = resolve));
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
      onLeave: () => this.#leave(),
      keepsLine: () => this.#asked === undefined,
    });
    this.#prompt.write(colours.dim(`${greeting}\n`));
  }

  /** Shows what the agent hears, does and says; resolves with its death. */
  async follow(signal: AbortSignal): Promise<void> {
    const onCut = (): void => this.#tell('The connection is lost; trying again …');
    for await (const event of this.#conversation.follow(signal, onCut)) {
      const text =
        event.kind === 'delta'
          ? this.#screen.showDelta(event.delta)
          : this.#screen.showRecord(event.record, event.isOwn);
      this.#prompt.write(text, !this.#screen.isWriting);
      this.#askNext();
    }
    this.#prompt.write('The agent is dead; there is nobody to talk with any more.\n');
  }

  async watchPermissions(signal: AbortSignal): Promise<void> {
    const begin = (): void => this.#requests.begin();
    for await (const event of this.#conversation.followPermissions(begin, signal)) {
      this.#requests.hear(event);
      if (this.#asked && this.#requests.next?.id !== this.#asked.id) this.#askedNoMore();
      if (event?.$case === 'permissionRequest') this.#announce(event.value);
      this.#askNext();
    }
  }

  close(): void {
    this.#prompt.close();
  }

  #onLine(line: string): void {
    if (this.#asked) return this.#onDecision(line, this.#asked);
    const read = readChatLine(line);
    if (read.kind !== 'nothing') this.#history.add(line);
    if (read.kind === 'quit') return this.#leave();
    if (read.kind === 'say') this.#doing(this.#conversation.say(read.text).then(() => ''));
    else if (read.kind !== 'nothing')
      this.#doing(runChatLine(read, this.#conversation, this.#colours));
    this.#askNext();
  }

  #onDecision(line: string, request: PermissionRequest): void {
    const decision = readDecision(line);
    if (decision === undefined) return this.#tell('Answer y or n; Ctrl-C leaves it open.');
    this.#requests.leave(request);
    this.#doing(this.#decide(request, decision));
    this.#askedNoMore();
    this.#askNext();
  }

  async #decide(request: PermissionRequest, decision: PermissionDecision): Promise<string> {
    try {
      const decided = await this.#conversation.decide(request, decision);
      return `${this.#colours.dim(permissionOutcome(decided ?? request))}\n`;
    } catch (error) {
      return `${failureText(error, this.#colours)}${this.#colours.dim(leftOpen(request))}\n`;
    }
  }

  #onCancel(hadText: boolean): void {
    if (this.#asked) {
      this.#requests.leave(this.#asked);
      this.#tell(leftOpen(this.#asked));
      this.#askedNoMore();
    } else if (!hadText) this.#tell('Ctrl-D or /quit leaves.');
    this.#askNext();
  }

  /** Never in the middle of a line: what is typed for the agent must not decide anything. */
  #askNext(): void {
    const { next } = this.#requests;
    if (!next || this.#asked || !this.#prompt.isEmpty || this.#screen.isWriting) return;
    this.#asked = next;
    const reason = longReason(next);
    if (reason !== undefined) this.#tell(reason);
    this.#prompt.ask(permissionQuestion(next));
  }

  #announce(request: PermissionRequest): void {
    if (this.#prompt.isEmpty || !this.#conversation.shows(request)) return;
    this.#tell('An agent asks for a permission; the question comes after this line.');
  }

  #askedNoMore(): void {
    this.#asked = undefined;
    this.#prompt.ask(prompt);
  }

  #doing(work: Promise<string>): void {
    void work
      .catch((error: unknown) => failureText(error, this.#colours))
      .then((text) => this.#prompt.add(text));
  }

  #tell(text: string): void {
    this.#prompt.add(this.#colours.dim(`${text}\n`));
  }
}

function leftOpen({ id }: PermissionRequest): string {
  return `Left open; decide with "daycare permission decide ${id} grant" or "deny".`;
}
