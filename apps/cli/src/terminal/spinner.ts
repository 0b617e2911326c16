import type { Output } from './screen';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const patienceMs = 1_000;
const frameMs = 100;

/**
 * Shows on a terminal that something is under way once it takes over a second. Returns how to end it,
 * which leaves nothing behind; elsewhere nothing is ever shown.
 */
export function startSpinner(output: Output): () => void {
  if (!output.isTTY) return () => undefined;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    output.write(`\r${frames[frame++ % frames.length] ?? ''} waiting …`);
    timer = setTimeout(draw, frameMs).unref();
  };
  timer = setTimeout(draw, patienceMs).unref();
  return () => {
    clearTimeout(timer);
    if (frame > 0) output.write('\r\u001b[2K');
    frame = 0;
  };
}
