import { Transform } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** Makes the terminal put markers around pasted text, so that its line breaks do not send messages. */
export const pasteMode = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;

const [start, end] = ['\u001b[200~', '\u001b[201~'];

/** Shown for a line break inside the input line. */
const lineBreak = '⏎';

/** In characters. A longer paste would fill the input line, so it is attached as a file instead. */
export const maxPaste = 2_000;

export interface PasteHandlers {
  /** Called with pasted text that is too long for the line. */
  readonly onLongPaste: (text: string) => void;
}

/**
 * Filters the input of a terminal so that pasted text stays on one line: its line breaks become a visible character,
 * and long text is passed to `onLongPaste` instead. The result has the members of a terminal that readline needs.
 */
export function pasteFilter(input: ReadStream, { onLongPaste }: PasteHandlers): Transform {
  let buffered = '';
  let isPasting = false;
  const filter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      buffered += chunk.toString('utf8');
      let output = '';
      for (;;) {
        const marker = isPasting ? end : start;
        const at = buffered.indexOf(marker);
        if (at < 0) break;
        const text = buffered.slice(0, at);
        buffered = buffered.slice(at + marker.length);
        output += isPasting ? pastedKeys(text, onLongPaste) : text;
        isPasting = !isPasting;
      }
      if (!isPasting) {
        const partialLength = partialMarkerLength(buffered, start);
        output += buffered.slice(0, buffered.length - partialLength);
        buffered = buffered.slice(buffered.length - partialLength);
      }
      done(null, output);
    },
  });
  input.pipe(filter);
  return Object.assign(filter, {
    isTTY: true,
    setRawMode: (mode: boolean) => input.setRawMode(mode),
  });
}

/** Returns the text of an input line with the visible line breaks replaced by real ones. */
export function unfoldLine(line: string): string {
  return line.replaceAll(lineBreak, '\n');
}

function pastedKeys(text: string, onLongPaste: (text: string) => void): string {
  const whole = text.replace(/\r\n?/g, '\n');
  if (whole.length > maxPaste) {
    onLongPaste(whole);
    return '';
  }
  // Any other control character in the text could act as a key.
  return whole
    .replace(/\n$/, '')
    .replaceAll('\n', lineBreak)
    .replace(/[\u0000-\u001f\u007f]/g, ' ');
}

/**
 * Returns how many characters at the end of the text may be the beginning of a marker; 0 for a single escape character,
 * because it may be the Escape key.
 */
function partialMarkerLength(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 1; length -= 1)
    if (text.endsWith(marker.slice(0, length))) return length;
  return 0;
}
