import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { Viewer } from '../../domain/viewer';

/** Records in agent-runtime that the calling agent sends through channels or signals. */
export type MarkWired = (caller: Viewer) => Promise<void>;

const maxRemembered = 100_000;

/**
 * Skips the agents that this process remembers having marked, because the mark is never removed. Distinguishes agents
 * by user as well as id, because a token may name another user's agent.
 */
export function markOnce(markWired: MarkWired): MarkWired {
  const marked = new LRUCache<string, true>(limitEntries(maxRemembered));
  return async (caller) => {
    const { userId, agentId } = caller;
    if (agentId === undefined) return;
    const key = `${userId}/${agentId}`;
    if (marked.has(key)) return;
    await markWired(caller);
    marked.set(key, true);
  };
}

/** Wraps a usecase so that the calling agent is marked as wired before its message or signal is accepted. */
export function markCallerFirst<Call extends { readonly caller: Viewer }, Result>(
  markWired: MarkWired,
  usecase: (call: Call) => Promise<Result>,
): (call: Call) => Promise<Result> {
  return async (call) => {
    await markWired(call.caller);
    return usecase(call);
  };
}
