import type { Output } from './screen';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const showAfterMs = 1_000;
const frameMs = 100;

/**
 * Shows a spinner on a terminal when a command takes more than a second. Returns a function that removes the spinner.
 * Does nothing unless the output is a terminal.
 */
export function startSpinner(output: Output): () => void {
  if (!output.isTTY) return () => undefined;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    output.write(`\r${frames[frame++ % frames.length] ?? ''} waiting…`);
    timer = setTimeout(draw, frameMs).unref();
  };
  timer = setTimeout(draw, showAfterMs).unref();
  return () => {
    clearTimeout(timer);
    if (frame > 0) output.write('\r\u001b[2K');
    frame = 0;
  };
}
