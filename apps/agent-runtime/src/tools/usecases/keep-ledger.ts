import { AppError, messageIdOf } from '@daycare/api';
import { canonicalJson } from '../../shared/text/canonical-json';
import type { LedgerKey, OnceEffect, ToolLedger } from '../ports/ledger';
import type { StoredToolCall, ToolCallStore } from '../store/tool-call-store';

export interface LedgerDeps {
  readonly toolCalls: Pick<ToolCallStore, 'find' | 'begin' | 'finish'>;
  readonly now: () => Date;
}

/** Creates the ledger of tool calls. ADR 0029 explains why each effect happens only once. */
export function makeToolLedger({ toolCalls, now }: LedgerDeps): ToolLedger {
  return {
    async remember<Result>(key: LedgerKey, act: () => Promise<Result>): Promise<Result> {
      const { requestId, agent } = key.call;
      const { userId } = agent;
      const fingerprint = fingerprintOf(key);
      const earlier = await toolCalls.find(userId, requestId);
      if (earlier) checkSame(earlier, fingerprint);
      if (earlier?.resultJson !== undefined) return JSON.parse(earlier.resultJson) as Result;
      const result = await act();
      const resultJson = JSON.stringify(result);
      const call = { requestId, userId, fingerprint, beforeJson: '', startedAt: now() };
      await toolCalls.begin({ ...call, resultJson });
      return result;
    },
    async once<Before, Result>(
      key: LedgerKey,
      { observe, act }: OnceEffect<Before, Result>,
    ): Promise<Result> {
      const { requestId, agent } = key.call;
      const { userId } = agent;
      const fingerprint = fingerprintOf(key);
      const earlier = await toolCalls.find(userId, requestId);
      const begun = earlier ? { stored: earlier, isNew: false } : await begin();
      checkSame(begun.stored, fingerprint);
      if (begun.stored.resultJson !== undefined)
        return JSON.parse(begun.stored.resultJson) as Result;
      const before = JSON.parse(begun.stored.beforeJson) as Before;
      const result = await act(before, !begun.isNew);
      await toolCalls.finish({ userId, requestId }, JSON.stringify(result));
      return result;

      async function begin() {
        const beforeJson = JSON.stringify(await observe());
        const startedAt = now();
        return toolCalls.begin({ requestId, userId, fingerprint, beforeJson, startedAt });
      }
    },
  };
}

function checkSame(stored: StoredToolCall, fingerprint: string): void {
  if (stored.fingerprint !== fingerprint)
    throw new AppError('REQUEST_ID_REUSED', 'The request id was already used for a different call');
}

function fingerprintOf({ call, toolName, args }: LedgerKey): string {
  return messageIdOf('tool-call', call.agent.id, toolName, canonicalJson(args));
}
