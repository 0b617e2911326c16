import { isForeign, lowestTrust } from '@daycare/api';
import {
  type AgentState,
  type AgentStep,
  type AssistantMessageEvent,
  type CurrentWork,
  mergeWriters,
  type ToolResultEvent,
} from '../../agents';
import { giveUp } from './failures/after-failure';
import { afterInterruption } from './failures/retry-policy';

/** Records tool results. What the tools have read may lower the trust for the rest of the turn. */
export function recordToolResults(
  work: CurrentWork,
  results: readonly ToolResultEvent[],
): AgentStep {
  const provenances = results.flatMap(({ provenance }) => provenance ?? []);
  const trust = lowestTrust(work.trust, ...provenances);
  const readPrivate = work.readPrivate || results.some(({ isPrivate }) => isPrivate === true);
  const writers = results.map(({ foreignWriter }) => foreignWriter);
  const foreignWriter = mergeWriters(work.foreignWriter, ...writers);
  const { approved: _used, ...rest } = work;
  const attached = [...(work.files ?? []), ...results.flatMap(({ files = [] }) => files)];
  const files = attached.length > 0 ? { files: attached } : {};
  const labels = { readPrivate, ...(foreignWriter === undefined ? {} : { foreignWriter }) };
  const foreignMark = provenances.some(isForeign) ? ({ hasReadForeign: true } as const) : {};
  return { events: results, current: { ...rest, trust, ...labels, ...foreignMark, ...files } };
}

/** Ends the work: one entry records the answer and settles the items. */
export function finishWork(
  { messageIds, hasReported, files }: CurrentWork,
  answer: AssistantMessageEvent,
): AgentStep {
  const settled = { messageIds, dead: undefined, ...(hasReported ? { hasReported } : {}) };
  const events = [files ? { ...answer, files } : answer];
  return { events, current: undefined, settled };
}

/**
 * The first step under a new lease. Work that the previous holder was doing counts as interrupted;
 * otherwise only the writer changes.
 */
export function assumeLease(state: AgentState, now: Date): AgentStep {
  const { current } = state;
  return current && !current.notBefore ? takeOverWork(current, now) : claimHistory(state);
}

/** The previous holder started the work and did not finish it. */
function takeOverWork(work: CurrentWork, now: Date): AgentStep {
  const interruptions = work.interruptions + 1;
  const verdict = afterInterruption(interruptions, now);
  if (verdict.kind === 'dead')
    return giveUp({ ...work, interruptions }, 'it was interrupted too often');
  const notBefore = verdict.notBefore > now ? verdict.notBefore : undefined;
  return { events: [], current: { ...work, interruptions, notBefore } };
}

/** Resumes work whose retry delay is over. */
export function resumeWork(work: CurrentWork): AgentStep {
  return { events: [], current: { ...work, notBefore: undefined } };
}

/** A step that changes only who may write. */
function claimHistory({ current, settled }: AgentState): AgentStep {
  return { events: [], current, ...(settled ? { settled } : {}), silent: true };
}
