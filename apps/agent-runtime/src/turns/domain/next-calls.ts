import type { ToolCall } from '../../agents';

/** How many calls from one answer may run in parallel. */
export const maxParallelCalls = 8;

/**
 * Returns the calls to make next: the leading read-only calls, in parallel, or else the first call alone.
 * They are derived from the recorded answer, so a resumed turn makes the same calls.
 */
export function nextCalls(
  open: readonly ToolCall[],
  isReadOnly: (toolName: string) => boolean,
): readonly ToolCall[] {
  const firstChange = open.findIndex(({ name }) => !isReadOnly(name));
  const readCount = firstChange < 0 ? open.length : firstChange;
  return open.slice(0, Math.min(Math.max(readCount, 1), maxParallelCalls));
}
