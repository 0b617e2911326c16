import type { ToolCall } from '../../agents';

/** How many calls of one answer run side by side. */
export const maxParallelCalls = 8;

/**
 * The calls to make next: those at the front that only read, side by side, or else the first one alone. What they
 * are follows from the recorded answer, so a turn that is resumed makes the same ones.
 */
export function nextCalls(
  open: readonly ToolCall[],
  isReadOnly: (toolName: string) => boolean,
): readonly ToolCall[] {
  const firstChange = open.findIndex(({ name }) => !isReadOnly(name));
  const reads = firstChange < 0 ? open.length : firstChange;
  return open.slice(0, Math.min(Math.max(reads, 1), maxParallelCalls));
}
