import type {
  AssistantDelta,
  FileReference,
  HistoryRecord,
} from '@daycare/contracts/agent-runtime';
import { truncateText } from '@daycare/terminal';
import { safeLine, safeText } from '../../output/safe-text';
import { speakerOf, type NameOf } from '../../output/speaker';
import type { Colours } from '../../terminal/colours';
import { ReplyText } from './reply-text';
import { wrapLine } from './wrap-line';

export interface ChatStyle {
  readonly colours: Colours;
  /** The number of columns; Infinity without a terminal. */
  readonly columns: number;
  readonly rows: number;
  /** Whether replies are shown while they stream in, which requires that text can be erased. */
  readonly isLive: boolean;
}

type RecordOf<Case> = Extract<HistoryRecord['record'], { $case: Case }>['value'];

/** Turns an agent's events into the text to write to the terminal next. */
export class ChatScreen {
  readonly #style: () => ChatStyle;
  readonly #nameOf: NameOf;
  #reply: ReplyText | undefined;
  #attempt = 0;
  /** The length of the reply of the current model call so far in characters, including any that were missed. */
  #position = 0;

  constructor(style: () => ChatStyle, nameOf: NameOf = () => undefined) {
    this.#style = style;
    this.#nameOf = nameOf;
  }

  /** Whether an incomplete reply is on the screen. */
  get isWriting(): boolean {
    return this.#reply !== undefined;
  }

  /**
   * Shows the next part of a streamed reply, after an ellipsis if text before that part is missing. A part from a new
   * model call replaces the partial reply on the screen.
   */
  showDelta({ text, attempt, position }: AssistantDelta): string {
    if (!this.#style().isLive || text === '') return '';
    const erased = attempt === this.#attempt ? '' : this.#erase();
    const shown = position > this.#position ? `…${text}` : text;
    this.#attempt = attempt;
    this.#position = position + Array.from(text).length;
    const { colours, ...size } = this.#style();
    this.#reply ??= new ReplyText(colours);
    return erased + this.#reply.add(shown, size);
  }

  /**
   * Returns what to write to show a record: the rest of a partial reply, or whatever erases it, then the record's own
   * lines. `isOwn` means that the message was typed in this chat.
   */
  showRecord({ record }: HistoryRecord, isOwn = false): string {
    switch (record?.$case) {
      case 'assistantMessage':
        return this.#showAnswer(record.value);
      case 'userMessage':
        return this.#erase() + (isOwn ? '' : this.#showMessage(record.value));
      case 'toolResult':
        return this.#erase() + this.#showResult(record.value);
      case 'reset':
        return this.#erase() + this.#dim(describeReset(record.value));
      case 'compaction':
        return this.#erase() + this.#dim(describeCompaction(record.value));
      case 'note':
        return this.#erase() + this.#dim(`note: ${record.value.text}`);
      case 'start':
      case undefined:
        return '';
    }
  }

  /** A message meant for the person is shown like a reply. */
  #showMessage(message: RecordOf<'userMessage'>): string {
    if (!message.forPerson) return this.#dim(describeMessage(message, this.#nameOf));
    const { files, ...result } = message;
    const text = describeMessage({ ...result, files: [] }, this.#nameOf);
    return [`${this.#wrap(text)}\n`, ...this.#fileLines(files)].join('');
  }

  #showAnswer({ text, toolCalls, files }: RecordOf<'assistantMessage'>): string {
    const isContinued = text.startsWith(this.#reply?.received ?? '');
    const erased = isContinued ? '' : this.#erase();
    const { colours, ...size } = this.#style();
    const reply = this.#reply ?? new ReplyText(colours);
    const remainder = reply.add(text.slice(reply.received.length), size) + reply.end(size);
    this.#clear();
    const calls = toolCalls.map(({ name, argumentsJson }) =>
      this.#dimLine(`→ ${name} ${argumentsJson}`),
    );
    return [erased, text === '' ? '' : `${remainder}\n`, ...calls, ...this.#fileLines(files)].join(
      '',
    );
  }

  #fileLines(files: readonly FileReference[]): string[] {
    return files.map(({ name, size }) =>
      this.#dimLine(`[file ${name}, ${size} bytes; /save saves it]`),
    );
  }

  /** Returns a line for a failed tool call; empty for a successful one. */
  #showResult({ toolName, isError, resultJson }: RecordOf<'toolResult'>): string {
    return isError ? this.#dimLine(`  ${toolName} failed: ${failureReason(resultJson)}`) : '';
  }

  #erase(): string {
    const { colours, ...size } = this.#style();
    const reply = this.#reply;
    this.#clear();
    if (!reply) return '';
    return reply.erase(size) ?? `\n${colours.dim('… starting over:')}\n`;
  }

  #clear(): void {
    this.#reply = undefined;
    this.#attempt = 0;
    this.#position = 0;
  }

  #dim(text: string): string {
    return `${this.#style().colours.dim(this.#wrap(text))}\n`;
  }

  #wrap(text: string): string {
    const { columns } = this.#style();
    const lines = safeText(text).split('\n');
    return lines.map((line) => wrapLine(line, columns)).join('\n');
  }

  #dimLine(text: string): string {
    const { colours, columns } = this.#style();
    return `${colours.dim(truncateText(safeLine(text), columns))}\n`;
  }
}

function describeMessage(message: RecordOf<'userMessage'>, nameOf: NameOf): string {
  const { origin, silent, forPerson, text, files } = message;
  const who = origin === '' ? 'you (elsewhere)' : speakerOf(message, nameOf);
  const names = files.map(({ name, id }) => `[${name} ${id}]`);
  return `${who}${silent && !forPerson ? ' (silent)' : ''}: ${[text, ...names].join(' ').trim()}`;
}

function describeReset({ message, emergency }: RecordOf<'reset'>): string {
  const why = emergency ? 'it had reached its limit' : message;
  return `The agent's context was cleared${why === '' ? '' : `: ${why}`}.`;
}

function describeCompaction({ summary }: RecordOf<'compaction'>): string {
  return summary === ''
    ? 'The agent left out the oldest part of the conversation, because it had grown too long.'
    : 'The agent summarised the older part of the conversation.';
}

/** A failed tool returns `{"error":{"code":…,"message":…}}`. */
function failureReason(resultJson: string): string {
  try {
    const { error } = JSON.parse(resultJson) as { error?: { message?: string } };
    return error?.message ?? resultJson;
  } catch {
    return resultJson;
  }
}
