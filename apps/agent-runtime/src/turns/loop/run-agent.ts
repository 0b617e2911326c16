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
import { guestSlotRetryAt, allowedWork, type GuestTurns } from './allowed-work';
import { beginWork } from '../domain/begin-work';
import { resumeWork } from '../domain/turn-steps';
import type { AgentSession } from '../sessions/agent-session';
import type { Settle } from './settle-work';
import type { TakeTurn, TurnControl } from './take-turn';
import type { ContextLimits } from '../domain/context/request-limits';
import { findInterruption, type InterruptionDeps } from '../interrupts/watch-interruption';
import type { ModelChooser } from '../../models';

export interface RunAgentDeps extends InterruptionDeps {
  readonly inbox: InboxReader;
  readonly models: Pick<ModelChooser, 'listOf'>;
  readonly limits: Pick<ContextLimits, 'emergencyContextLimit'>;
  readonly guestTurns: GuestTurns;
  readonly takeTurn: TakeTurn;
  readonly settle: Settle;
  readonly now: () => Date;
}

export interface RunControl extends TurnControl {
  /** Reports whether the run has to end after the current item. */
  readonly isStopping: () => boolean;
  /** Takes a slot for a guest's turn, which the run keeps until it ends; returns false if none is free. */
  readonly tryTakeGuestSlot: () => boolean;
}

/**
 * Why the run ended. `idle`: nothing is left to do for now, or the run had to stop. `later`: the current work, or items
 * from guests, must wait until `at`. `more`: the run has had its share, and other agents go first.
 */
export type RunEnd =
  | { readonly kind: 'idle' }
  | { readonly kind: 'later'; readonly at: Date }
  | { readonly kind: 'more' };

const idle: RunEnd = { kind: 'idle' };
/** Limited, so that a long inbox does not keep other agents waiting. */
const itemsPerRun = 4;
/**
 * If work is waiting for a model and nothing else wakes its agent, the agent runs again after this time to check
 * whether other models were chosen for it.
 */
const recheckMs = 60_000;

/**
 * Handles an agent's items one after the other, until nothing can be done for now or the run has had its share. Steps
 * are stored in order, so that a run after a crash continues from the newest step.
 */
export type RunAgent = (session: AgentSession, control: RunControl) => Promise<RunEnd>;

export function makeRunAgent(deps: RunAgentDeps): RunAgent {
  return (session, control) => runAgent(session, control, deps);
}

async function runAgent(
  session: AgentSession,
  control: RunControl,
  deps: RunAgentDeps,
): Promise<RunEnd> {
  await deps.settle(session);
  for (let handled = 0; handled < itemsPerRun; handled += 1) {
    if (control.isStopping() || session.agent.diedAt) return idle;
    const { work, isLast, postponedTo } = await pickWork(session, deps, control);
    if (work === 'nothing') return postponedTo ? { kind: 'later', at: postponedTo } : idle;
    if (work !== 'done') {
      if (work.notBefore) return later(work, work.notBefore, deps);
      await deps.takeTurn(session, control);
    }
    await deps.settle(session);
    const { current } = session.state;
    if (current?.notBefore) return later(current, current.notBefore, deps);
    if (isLast && !current) return idle;
  }
  return { kind: 'more' };
}

/**
 * Work that is waiting for a model is checked again after `recheckMs` at the latest, because its agent may use another
 * model by then.
 */
function later({ waiting }: CurrentWork, notBefore: Date, { now }: RunAgentDeps): RunEnd {
  if (waiting?.models === undefined) return { kind: 'later', at: notBefore };
  return {
    kind: 'later',
    at: new Date(Math.min(notBefore.getTime(), now().getTime() + recheckMs)),
  };
}

interface PickedWork {
  /**
   * The work to do now; `done` when the items needed no turn or the turn was ended, `nothing` if nothing may be done.
   */
  readonly work: CurrentWork | 'done' | 'nothing';
  /** True only if no other items are left to handle now; new ones wake the agent again. */
  readonly isLast: boolean;
  /** When to try again, if a guest's turn or items from guests have to wait and there is no other work. */
  readonly postponedTo?: Date;
}

async function pickWork(
  session: AgentSession,
  deps: RunAgentDeps,
  control: RunControl,
): Promise<PickedWork> {
  const { current } = session.state;
  if (!current) return takeNext(session, deps, control);
  // The hint for a stop may have been lost, or have reached only the replica that began the work.
  const interruption = await findInterruption(session, current, deps);
  if (interruption) {
    await session.commit(stopWork(current, interruption));
    return { work: 'done', isLast: false };
  }
  if (isForeign(current.trust) && !control.tryTakeGuestSlot())
    return { work: 'nothing', isLast: false, postponedTo: guestSlotRetryAt(deps.now()) };
  if (!current.notBefore || !(await isWaitOver(session, current, current.notBefore, deps)))
    return { work: current, isLast: false };
  await session.commit(resumeWork(current));
  return { work: session.state.current ?? 'done', isLast: false };
}

/** Reports whether the retry is due, or the agent no longer uses the list of models that the work is waiting for. */
async function isWaitOver(
  { agent }: AgentSession,
  { waiting }: CurrentWork,
  notBefore: Date,
  { models, now }: RunAgentDeps,
): Promise<boolean> {
  if (notBefore <= now()) return true;
  return waiting?.models !== undefined && (await models.listOf(agent)) !== waiting.models;
}

async function takeNext(
  session: AgentSession,
  deps: RunAgentDeps,
  { tryTakeGuestSlot }: RunControl,
): Promise<PickedWork> {
  const { agent, state } = session;
  const waiting = await deps.inbox.next(agent, mergeLimits.items);
  const next = nextWork(waiting);
  if (!isNotEmpty(next)) return { work: 'nothing', isLast: true };
  const { items, postponedTo } = await allowedWork(next, agent, deps, tryTakeGuestSlot);
  if (!isNotEmpty(items))
    return { work: 'nothing', isLast: true, ...(postponedTo && { postponedTo }) };
  const isPageFull = waiting.length >= mergeLimits.items;
  // When the page is full, there may be controls after it.
  const controls = isPageFull ? await deps.inbox.findControls(agent) : waiting.filter(isControl);
  const { emergencyContextLimit } = deps.limits;
  const earlierControls = controls.map(({ messageId }) => messageId);
  await begin(session, beginWork(state, items, { emergencyContextLimit, earlierControls }, agent));
  const isAll = next.length === waiting.length && !isPageFull;
  return { work: session.state.current ?? 'done', isLast: isAll && !postponedTo };
}

/**
 * The model is called without waiting until the beginning of the turn is stored. If the answer arrives before the
 * beginning is sent to the database, both become one entry. The first work of a session is stored before the call,
 * because it may be what killed the previous process: if it kills this one, too, the interruption is counted.
 */
async function begin(session: AgentSession, step: AgentStep): Promise<void> {
  if (session.hasEndedWork) session.advance(step);
  else await session.commit(step);
}

function isNotEmpty(items: readonly InboxItem[]): items is readonly [InboxItem, ...InboxItem[]] {
  return items.length > 0;
}
