import { isForeign, messageIdOf } from '@daycare/api';
import { severalWriters, type Agent, type RankForeground } from '../../../agents';
import { nextTick } from '../../domain/cron-schedule';
import type { ScheduleMoment } from '../../domain/due-ticks';
import { admitRun, isOpen, type Admission, type NewRun, type Run } from '../../domain/run';
import { isSpent, lowestAuthorTrust, type Cron } from '../../domain/schedule';
import { deadTargetNotice, promptText } from '../../domain/schedule-wording';
import type { CronInProgress } from '../../store/cron-runs';
import type { FiringCron } from '../../store/cron-store';
import { fireDue, type RecordTick } from './fire-due';
import { endOwnAgent, findOrCreateOwnAgent, unlessDeleted, type OwnAgentDeps } from './cron-agent';
import { findWaitingRuns } from './waiting-runs';
import type { DeliverToAgent, InboxReader, InboxWriter } from '../../../messaging';

export interface FireCronDeps extends OwnAgentDeps {
  readonly inbox: Pick<InboxReader, 'find' | 'findRecipient'> & InboxWriter;
  readonly deliverToAgent: DeliverToAgent;
  /** Makes an agent's turn in progress, on whichever replica it runs, check whether it has to end. */
  readonly interruptAgent: (agentId: string) => void;
  readonly rankForeground: RankForeground;
  /** The schedule clock. */
  readonly moment: () => ScheduleMoment;
  readonly recordTick: RecordTick;
}

/**
 * Delivers due ticks to a cron's agent; removes a `once` cron that fired long ago. `mayContinue` is checked before each
 * claim of a tick.
 */
export function makeFireCron(deps: FireCronDeps) {
  return (cron: FiringCron, mayContinue: () => boolean): Promise<void> =>
    !cron.firing && isSpent(cron, deps.moment().now)
      ? removeSpent(deps, cron)
      : fireDue(cron, {
          ticks: deps.crons.ticks,
          moment: deps.moment,
          mayContinue,
          nextTick: (after) => nextTick(cron, after),
          once: cron.once,
          deliver: (tick) => deliver(deps, cron, tick),
        });
}

async function removeSpent(deps: FireCronDeps, cron: Cron): Promise<void> {
  await endOwnAgent(deps, cron);
  await deps.crons.deleteSpent(cron);
}

/**
 * Decides what to do with a tick, based on the stored cron, and does it. Each tick is decided only once: a decision
 * that has been stored stands. Each step can be repeated. Returns false if the agent is dead or missing.
 */
async function deliver(
  deps: FireCronDeps,
  id: Pick<Cron, 'id' | 'userId'>,
  tick: Date,
): Promise<boolean> {
  for (;;) {
    const inProgress = await deps.crons.runs.findInProgress(id, tick);
    // The cron was deleted, or another replica has finished the tick.
    if (!inProgress) return true;
    const { cron } = inProgress;
    const agent = await findTarget(deps, cron);
    if (!agent || agent.diedAt) {
      await notifyDeadTarget(deps, { ...cron, agentId: agent?.id ?? cron.agentId }, tick);
      return false;
    }
    const due = dueRun(inProgress, agent, tick, deps.moment().now);
    const waiting = await findWaitingRuns(deps.inbox, cron);
    const admission = admitRun(cron.runs, due, cron.overlap, waiting);
    if (admission.isChanged && !(await deps.crons.runs.save(inProgress, tick, admission.runs)))
      continue;
    await dropReplaced(deps, agent, admission);
    if (isOpen(admission.run)) await sendPrompt(deps, inProgress, agent, admission.run);
    return true;
  }
}

function dueRun(
  { cron: { id }, manual }: CronInProgress,
  agent: Agent,
  dueAt: Date,
  startedAt: Date,
): NewRun {
  const run = { dueAt, agentId: agent.id, startedAt };
  return manual
    ? { id: messageIdOf('cron-run', id, manual.requestId), ...run, manual: true }
    : { id: cronMessageId(id, dueAt), ...run };
}

/** Removes the prompts of replaced runs from the inbox, and ends a turn that is working on one of them. */
async function dropReplaced(
  { inbox, interruptAgent, now }: FireCronDeps,
  agent: Agent,
  { replaced }: Admission,
): Promise<void> {
  if (replaced.length === 0) return;
  const ids = replaced.map(({ id }) => id);
  await inbox.settle(agent, ids, now());
  interruptAgent(agent.id);
}

async function sendPrompt(
  deps: FireCronDeps,
  { cron, manual }: CronInProgress,
  agent: Agent,
  run: Run,
): Promise<void> {
  const { userId } = cron;
  const authors = manual ? [cron, manual] : [cron];
  const trust = lowestAuthorTrust(authors);
  await deps.deliverToAgent(
    { agentId: agent.id, userId },
    {
      messageId: run.id,
      senderUserId: userId,
      origin: `cron:${cron.id}`,
      originName: cron.name,
      text: promptText(cron, agent),
      hops: manual?.hops ?? 0,
      ...(trust ? { trust } : {}),
      ...(authors.some(({ carriesPrivate }) => carriesPrivate) ? { carriesPrivate: true } : {}),
    },
  );
  if (!manual) deps.recordTick('cron', run.dueAt, deps.moment().now);
}

function findTarget(deps: FireCronDeps, cron: Cron): Promise<Agent | undefined> {
  return cron.agentId === ''
    ? unlessDeleted(findOrCreateOwnAgent(deps, cron))
    : deps.agents.find(cron.agentId);
}

/** Returns the id of the message with a tick's prompt, the same for every delivery of the tick. */
export function cronMessageId(cronId: string, tick: Date): string {
  return messageIdOf('cron', cronId, tick.toISOString());
}

/**
 * Notifies the user's most recent foreground agent, if there is one, unless the cron has been deleted. After a crash,
 * another agent may be the most recent, so an earlier notice is looked up first.
 */
async function notifyDeadTarget(deps: FireCronDeps, cron: Cron, tick: Date): Promise<void> {
  const { id, userId, trust, carriesPrivate } = cron;
  const current = await deps.crons.find(userId, id);
  if (!current || current === 'deleted') return;
  const messageId = messageIdOf('cron-paused', id, tick.toISOString());
  if (await deps.inbox.findRecipient(userId, messageId)) return;
  const [foregroundAgent] = await deps.rankForeground(userId);
  if (!foregroundAgent) return;
  const text = deadTargetNotice(cron);
  await deps.deliverToAgent(
    { agentId: foregroundAgent.id, userId },
    {
      messageId,
      senderUserId: userId,
      origin: 'system',
      text,
      hops: 0,
      silent: true,
      // The notice contains the cron's name, which its creator chose.
      ...(trust ? { trust } : {}),
      ...(trust && isForeign(trust) ? { foreignWriter: severalWriters } : {}),
      ...(carriesPrivate ? { carriesPrivate } : {}),
    },
  );
}
