import { type UsageDimension, type UsageRow } from '@daycare/contracts/agent-runtime';
import { daycare } from '../../data/client';
import { collectPages } from '../../data/paging/pages';

/** The rows of one breakdown, up to a limit, and the currency of their costs. */
export interface Usage {
  readonly rows: readonly UsageRow[];
  readonly hasMore: boolean;
  readonly currency: string;
}

/** Reads the usage in a range of days, grouped by the given dimensions. */
export async function readUsage(
  period: { readonly fromDay: string; readonly toDay: string },
  groupBy: readonly UsageDimension[],
  signal: AbortSignal,
): Promise<Usage> {
  let currency = '';
  const { items, hasMore } = await collectPages(async (page) => {
    const request = { ...period, ...page, userId: '', agentId: '', groupBy: [...groupBy] };
    const response = await daycare.rpc.agentRuntime.getUsage(request, { signal });
    ({ currency } = response);
    return { items: response.rows, nextPageToken: response.nextPageToken };
  });
  return { rows: items, hasMore, currency };
}

const dayMs = 86_400_000;

/** Returns the last `count` days in UTC, including today. */
export function lastDays(count: number, now: Date): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

/** Returns the number of input and output tokens together. */
export function tokensOf({ tokens }: UsageRow): number {
  return (tokens?.inputTokens ?? 0) + (tokens?.outputTokens ?? 0);
}
