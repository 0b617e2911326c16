import {
  encodePageToken,
  FieldChecks,
  fitPage,
  isTrust,
  readPageToken,
  type PageCursor,
} from '@daycare/api';
import {
  dayOf,
  type UsageDimension,
  type UsageKey,
  type UsageReader,
  type UsageRow,
} from '../../agents';
import { daysBetween, isDay, monthStart } from '../domain/period';
import { findSpender, type Requester, type FindSpenderDeps } from './spender';

export interface GetUsageCall {
  readonly requester: Requester;
  /**
   * The requester or one of its subusers; if an operator makes the request, any user. Empty for the requester. The
   * usage of an owner includes the usage of its subusers.
   */
  readonly userId: string;
  readonly agentId: string;
  /** `YYYY-MM-DD`; empty for the first day of `toDay`'s month. */
  readonly fromDay: string;
  /** Empty for today. */
  readonly toDay: string;
  readonly groupBy: readonly UsageDimension[];
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface GetUsageDeps extends FindSpenderDeps {
  readonly usage: Pick<UsageReader, 'list'>;
  readonly now: () => Date;
}

const maxDays = 92;

/** Adds up the usage of model calls, a page of rows at a time. */
export function makeGetUsage(deps: GetUsageDeps) {
  return async (
    call: GetUsageCall,
  ): Promise<{ rows: readonly UsageRow[]; nextPageToken: string }> => {
    const today = dayOf(deps.now());
    const toDay = call.toDay || today;
    const fromDay = call.fromDay || monthStart(isDay(toDay) ? toDay : today);
    const checks = checkSpenderIds(call);
    const limit = checks.pageSize(call.pageSize);
    checkDays(fromDay, toDay, checks);
    const after = readPageToken(call.pageToken, checks, readCursor);
    checks.done();
    const { ownerUserId, userId, agentId } = await findSpender(call.requester, call, deps);
    const found = await deps.usage.list({
      ownerUserId,
      ...(userId === undefined ? {} : { userId }),
      ...(agentId === undefined ? {} : { agentId }),
      fromDay,
      toDay,
      groupBy: call.groupBy,
      after,
      limit: limit + 1,
    });
    const { page, last } = fitPage(found, limit);
    return { rows: page, nextPageToken: last ? encodePageToken(cursorOf(last)) : '' };
  };
}

/** Checks the ids by which a request names a user or an agent. */
export function checkSpenderIds({
  requester,
  userId,
  agentId,
}: Pick<GetUsageCall, 'requester' | 'userId' | 'agentId'>): FieldChecks {
  const checks = new FieldChecks();
  if (userId !== '' || requester.kind === 'operator') checks.id(userId, 'user_id');
  if (agentId !== '') checks.id(agentId, 'agent_id');
  return checks;
}

function checkDays(fromDay: string, toDay: string, checks: FieldChecks): void {
  const isRange = isDay(fromDay) && isDay(toDay);
  checks.require(isDay(fromDay), 'from_day', 'must be a date such as 2026-11-17');
  checks.require(isDay(toDay), 'to_day', 'must be a date such as 2026-11-17');
  if (!isRange) return;
  const days = daysBetween(fromDay, toDay);
  checks.require(days > 0, 'from_day', 'must not be after the end of the range');
  checks.require(
    days <= maxDays,
    'to_day',
    `must not make the range longer than ${maxDays} days; it is ${days} days long`,
  );
}

function cursorOf({ day, userId, agentId, model, trust, friend }: UsageRow): PageCursor {
  return [day, userId, agentId, model, trust, friend];
}

function readCursor(cursor: PageCursor): UsageKey | undefined {
  const [day, userId, agentId, model, trust, friend, ...rest] = cursor;
  if (rest.length > 0 || !(trust === '' || isTrust(trust))) return undefined;
  const isValid =
    typeof day === 'string' &&
    typeof userId === 'string' &&
    typeof agentId === 'string' &&
    typeof model === 'string' &&
    typeof friend === 'string';
  return isValid ? { day, userId, agentId, model, trust, friend } : undefined;
}
