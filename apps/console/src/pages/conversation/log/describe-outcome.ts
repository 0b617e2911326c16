import type { ToolResultRecord } from '@daycare/contracts/agent-runtime';

export interface DescribedOutcome {
  readonly text: string;
  readonly kind: 'plain' | 'good' | 'warn' | 'bad';
}

/**
 * Describes the outcome of a tool call, for a badge. `isPending` returns whether a permission request is still waiting
 * for the person.
 */
export function describeOutcome(
  result: ToolResultRecord | undefined,
  isPending: (permissionRequestId: string) => boolean,
): DescribedOutcome {
  if (!result) return { text: 'Running', kind: 'plain' };
  if (result.isError) return { text: 'Failed', kind: 'bad' };
  const requestId = permissionRequestIdOf(result);
  if (requestId === undefined) return { text: 'Done', kind: 'good' };
  // After the decision, a later record shows the outcome of the call.
  return isPending(requestId)
    ? { text: 'Waiting for you', kind: 'warn' }
    : { text: 'Asked you', kind: 'plain' };
}

const waiting = 'waiting_for_approval';

/** Returns the id of the permission request that a call had to wait for; undefined for a call that has run. */
function permissionRequestIdOf({ resultJson }: ToolResultRecord): string | undefined {
  if (!resultJson.includes(waiting)) return undefined;
  try {
    const result = JSON.parse(resultJson) as { status?: unknown; permissionRequestId?: unknown };
    const { permissionRequestId: id } = result;
    return result.status === waiting && typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
