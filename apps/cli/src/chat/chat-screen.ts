import type { AssistantDelta, HistoryRecord } from '@daycare/contracts/agent-runtime';
import { safeLine, safeText } from '../output/safe-text';
import type { Colours } from '../terminal/colours';
import { eraseText } from './erase-text';

export interface ChatStyle {
  readonly colours: Colours;
  /** How many characters fit on a line; Infinity where nobody looks. */
  readonly columns: number;
  readonly rows: number;
  /** Whether answers are shown while they are written; what was shown can then be taken back. */
  readonly isLive: boolean;
}

type RecordOf<Case> = Extract<HistoryRecord['record'], { $case: Case }>['value'];

/** Turns what an agent hears, does and says into the text to write next, each thing once. */
export class ChatScreen {
  readonly #style: () => ChatStyle;
  #written = '';
  #attempt = 0;

  constructor(style: () => ChatStyle) {
    this.#style = style;
  }

  /** Whether an answer stands on the screen that is not whole yet. */
  get isWriting(): boolean {
    return this.#written !== '';
  }

  /** A piece of an answer. A higher attempt begins it anew. */
  showDelta({ text, attempt }: AssistantDelta): string {
    if (!this.#style().isLive || text === '') return '';
    const erased = attempt === this.#attempt ? '' : this.#takeBack();
    this.#attempt = attempt;
    this.#written += text;
    return erased + safeText(text);
  }

  /** What the record adds to the screen, as whole lines. `isOwn`: its words were typed here. */
  showRecord({ record }: HistoryRecord, isOwn = false): string {
    switch (record?.$case) {
      case 'assistantMessage':
        return this.#showAnswer(record.value);
      case 'userMessage':
        return this.#takeBack() + (isOwn ? '' : this.#dim(describeHeard(record.value)));
      case 'toolResult':
        return this.#takeBack() + this.#showResult(record.value);
      case 'reset':
        return this.#takeBack() + this.#dim(describeReset(record.value));
      case 'note':
        return this.#takeBack() + this.#dim(`note: ${record.value.text}`);
      case 'start':
      case undefined:
        return '';
    }
  }

  #showAnswer({ text, toolCalls }: RecordOf<'assistantMessage'>): string {
    const isContinued = text.startsWith(this.#written);
    const erased = isContinued ? '' : this.#takeBack();
    const rest = safeText(text.slice(this.#written.length));
    this.#forget();
    const calls = toolCalls.map(({ name, argumentsJson }) =>
      this.#dimLine(`→ ${name} ${argumentsJson}`),
    );
    return [erased, text === '' ? '' : `${rest}\n`, ...calls].join('');
  }

  /** What a tool gave is told by the agent; only that it failed is worth a line. */
  #showResult({ toolName, isError, resultJson }: RecordOf<'toolResult'>): string {
    return isError ? this.#dimLine(`  ${toolName} failed: ${reasonIn(resultJson)}`) : '';
  }

  #takeBack(): string {
    const { colours, ...size } = this.#style();
    const written = this.#written;
    this.#forget();
    if (written === '') return '';
    return (
      eraseText(safeText(written), size) ?? `\n${colours.dim('… once more from the beginning:')}\n`
    );
  }

  #forget(): void {
    this.#written = '';
    this.#attempt = 0;
  }

  #dim(text: string): string {
    return `${this.#style().colours.dim(safeText(text))}\n`;
  }

  #dimLine(text: string): string {
    const { colours, columns } = this.#style();
    const line = safeLine(text);
    return `${colours.dim(line.length > columns ? `${line.slice(0, columns - 1)}…` : line)}\n`;
  }
}

function describeHeard({ origin, silent, text, files }: RecordOf<'userMessage'>): string {
  const who = origin === '' ? 'you, elsewhere' : origin;
  const names = files.map(({ name, id }) => `[${name} ${id}]`);
  return `${who}${silent ? ' (silent)' : ''}: ${[text, ...names].join(' ').trim()}`;
}

function describeReset({ message, emergency }: RecordOf<'reset'>): string {
  const why = emergency ? 'its context had reached the limit' : message;
  return `The agent has forgotten its context${why === '' ? '' : `: ${why}`}.`;
}

/** Failed tools answer with `{"error":{"code":…,"message":…}}`. */
function reasonIn(resultJson: string): string {
  try {
    const { error } = JSON.parse(resultJson) as { error?: { message?: string } };
    return error?.message ?? resultJson;
  } catch {
    return resultJson;
  }
}
