import { isForeign } from '@daycare/api';
import type { AgentStep, CurrentWork } from '../../agents';
import {
  type InboxItem,
  type InboxReader,
  isControl,
  mergeLimits,
  nextWork,
} from '../../messaging';
import { stopWork } from '../domain/stop-turn';
import { crowdedRetryAt, allowedWork, type GuestTurns } from './allowed-work';
import { beginWork, resumeWork } from '../domain/turn-steps';
import type { AgentSession } from '../sessions/agent-session';
import type { Settle } from './settle-work';
import { takeTurn, type TurnControl, type TurnDeps } from './take-turn';
import { findInterruption } from '../interrupts/watch-interruption';

export interface RunDeps extends TurnDeps {
  readonly inbox: InboxReader;
  readonly settle: Settle;
  readonly guestTurns: GuestTurns;
}

export interface RunControl extends TurnControl {
  /** Whether the run has to end after the current item. */
  readonly isLeaving: () => boolean;
  /** Whether there is room for a turn that guests have caused; if so, the run keeps that room until it ends. */
  readonly mayServeGuests: () => boolean;
}

/** Why the run ended: the inbox is empty, work waits for a retry, or other agents go first. */
export type RunEnd =
  | { readonly kind: 'idle' }
  | { readonly kind: 'later'; readonly at: Date }
  | { readonly kind: 'more' };

const idle: RunEnd = { kind: 'idle' };
/** So that a long inbox does not keep other agents waiting. */
const itemsPerRun = 4;
/** How often waiting work checks whether another model was chosen, if nothing else wakes the agent. */
const recheckMs = 60_000;

/**
 * Handles the items of an agent one after the other, until the inbox is empty or the run has had its
 * share. Steps are stored in order, so that a run after a crash continues from the newest one.
 */
export async function runAgent(
  session: AgentSession,
  deps: RunDeps,
  control: RunControl,
): Promise<RunEnd> {
  await deps.settle(session);
  for (let handled = 0; handled < itemsPerRun; handled += 1) {
    if (control.isLeaving() || session.agent.diedAt) return idle;
    const { work, isLast, postponedTo } = await pickWork(session, deps, control);
    if (work === 'nothing') return postponedTo ? { kind: 'later', at: postponedTo } : idle;
    if (work !== 'done') {
      if (work.notBefore) return later(work, work.notBefore, deps);
      await takeTurn(session, deps, control);
    }
    await deps.settle(session);
    const { current } = session.state;
    if (current?.notBefore) return later(current, current.notBefore, deps);
    if (isLast && !current) return idle;
  }
  return { kind: 'more' };
}

/** Work that waits for a model is checked again soon, because its agent may use another model by then. */
function later({ waiting }: CurrentWork, notBefore: Date, { now }: RunDeps): RunEnd {
  if (waiting?.models === undefined) return { kind: 'later', at: notBefore };
  return {
    kind: 'later',
    at: new Date(Math.min(notBefore.getTime(), now().getTime() + recheckMs)),
  };
}

interface PickedWork {
  /** The work to do now; `done` when recording the items was all there was to do. */
  readonly work: CurrentWork | 'done' | 'nothing';
  /** No other items are left to handle now; new ones wake the agent again. */
  readonly isLast: boolean;
  /** When items of guests may be handled, if there is no other work. */
  readonly postponedTo?: Date;
}

async function pickWork(
  session: AgentSession,
  deps: RunDeps,
  control: RunControl,
): Promise<PickedWork> {
  const { current } = session.state;
  if (!current) return takeNext(session, deps, control);
  // A stop may have reached only the replica that began the work.
  const interruption = await findInterruption(session, current, deps);
  if (interruption) {
    await session.commit(stopWork(current, interruption));
    return { work: 'done', isLast: false };
  }
  if (isForeign(current.trust) && !control.mayServeGuests())
    return { work: 'nothing', isLast: false, postponedTo: crowdedRetryAt(deps.now()) };
  if (!current.notBefore || !(await isWaitOver(session, current, current.notBefore, deps)))
    return { work: current, isLast: false };
  await session.commit(resumeWork(current));
  return { work: session.state.current ?? 'done', isLast: false };
}

/** Whether the time has come, or the agent no longer uses the list of models that the work waits for. */
async function isWaitOver(
  { agent }: AgentSession,
  { waiting }: CurrentWork,
  notBefore: Date,
  { models, now }: RunDeps,
): Promise<boolean> {
  if (notBefore <= now()) return true;
  return waiting?.models !== undefined && (await models.listOf(agent)) !== waiting.models;
}

async function takeNext(
  session: AgentSession,
  deps: RunDeps,
  { mayServeGuests }: RunControl,
): Promise<PickedWork> {
  const { agent, state } = session;
  const waiting = await deps.inbox.next(agent, mergeLimits.items);
  const next = nextWork(waiting);
  if (!isNotEmpty(next)) return { work: 'nothing', isLast: true };
  const { items, postponedTo } = await allowedWork(next, agent, deps, mayServeGuests);
  if (!isNotEmpty(items))
    return { work: 'nothing', isLast: true, ...(postponedTo && { postponedTo }) };
  const isPage = waiting.length >= mergeLimits.items;
  // When the page is full, there may be controls after it.
  const controls = isPage ? await deps.inbox.findControls(agent) : waiting.filter(isControl);
  const earlierControls = controls.map(({ messageId }) => messageId);
  await begin(session, beginWork(state, items, deps.limits, agent, earlierControls));
  const isAll = next.length === waiting.length && !isPage;
  return { work: session.state.current ?? 'done', isLast: isAll && !postponedTo };
}

/**
 * The model is called while the beginning of the turn is being stored, so that the beginning and the answer
 * can be one entry. The first work of a session may have killed the previous process, so it is stored before
 * the call: if it kills this process too, the interruption is counted.
 */
async function begin(session: AgentSession, step: AgentStep): Promise<void> {
  if (session.hasEndedWork) session.advance(step);
  else await session.commit(step);
}

function isNotEmpty(items: readonly InboxItem[]): items is readonly [InboxItem, ...InboxItem[]] {
  return items.length > 0;
}
