import type { Row } from './to-rows';

const plainHeight = 40;
const lineHeight = 24;
const frameHeight = 60;
const callHeight = 44;
const lineLength = 90;
const heights = new WeakMap<Row, number>();

/** Estimates the height of a row in pixels, on a page of typical width. */
export function estimateHeight(row: Row): number {
  const height = heights.get(row) ?? estimate(row);
  heights.set(row, height);
  return height;
}

function estimate(row: Row): number {
  switch (row.kind) {
    case 'person':
    case 'system':
      return frameHeight + lineHeight * countLines(row.message.text);
    case 'assistant':
      return (
        frameHeight + lineHeight * countLines(row.message.text) + callHeight * row.calls.length
      );
    case 'result':
      return callHeight;
    case 'note':
    case 'divider':
      return plainHeight;
  }
}

/** Counts the lines that text takes up on the page, where long lines wrap. */
function countLines(text: string): number {
  let lines = 0;
  for (let start = 0, end = 0; end !== -1 && start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    const length = (end === -1 ? text.length : end) - start;
    lines += Math.max(1, Math.ceil(length / lineLength));
  }
  return lines;
}
