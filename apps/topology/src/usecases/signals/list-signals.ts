import { FieldChecks, fitPage, pageTokenAfter, readTimePage } from '@daycare/api';
import { isPattern, patternExpression, patternRule } from '../../domain/signals/signal';
import type { SignalStore } from '../../store/signal-store';

export interface ListSignalsCall {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
  /** Empty for all types. */
  readonly pattern: string;
  /** Undefined lists both waiting and emitted signals. */
  readonly state: 'waiting' | 'emitted' | undefined;
}

/** Lists a user's emitted and waiting signals, newest first. */
export function makeListSignals({ signals }: { readonly signals: SignalStore }) {
  return async (call: ListSignalsCall) => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(call, checks);
    const { userId, pattern, state } = call;
    checks.require(pattern === '' || isPattern(pattern), 'pattern', patternRule);
    checks.done();
    const listed = await signals.list({
      userId,
      states: state ? [state] : ['waiting', 'emitted'],
      types: pattern === '' ? undefined : patternExpression(pattern),
      after,
      limit: limit + 1,
    });
    const { page, last } = fitPage(listed, limit);
    return { signals: page, nextPageToken: pageTokenAfter(last) };
  };
}
