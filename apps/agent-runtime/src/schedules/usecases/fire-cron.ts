import { isForeign, messageIdOf } from '@daycare/api';
import { severalWriters, type Agent, type RankForeground } from '../../agents';
import { nextTick } from '../domain/cron-schedule';
import type { ScheduleMoment } from '../domain/due-ticks';
import { isSpent, type Cron } from '../domain/schedule';
import { deadTargetNotice } from '../domain/schedule-wording';
import type { FiringCron } from '../store/cron-store';
import { fireDue, type RecordTick } from './fire-due';
import { endOwnAgent, findOrCreateOwnAgent, unlessDeleted, type OwnAgentDeps } from './cron-agent';
import type { DeliverToAgent, InboxReader } from '../../messaging';

export interface FireCronDeps extends OwnAgentDeps {
  readonly inbox: Pick<InboxReader, 'findRecipient'>;
  readonly deliverToAgent: DeliverToAgent;
  readonly rankForeground: RankForeground;
  /** The schedule clock. */
  readonly moment: () => ScheduleMoment;
  readonly recordTick: RecordTick;
}

/**
 * Delivers what is due to a cron's agent; a `once` cron that fired long ago is removed.
 * `mayContinue` is checked before each tick.
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

async function deliver(deps: FireCronDeps, cron: Cron, tick: Date): Promise<boolean> {
  const { id, userId, prompt, trust, carriesPrivate } = cron;
  const agent = await findTarget(deps, cron);
  if (!agent || agent.diedAt) {
    await notifyDeadTarget(deps, { ...cron, agentId: agent?.id ?? cron.agentId }, tick);
    return false;
  }
  await deps.deliverToAgent(
    { agentId: agent.id, userId },
    {
      messageId: cronMessageId(id, tick),
      senderUserId: userId,
      origin: `cron:${id}`,
      text: prompt,
      hops: 0,
      ...(trust ? { trust } : {}),
      ...(carriesPrivate ? { carriesPrivate } : {}),
    },
  );
  deps.recordTick('cron', tick, deps.moment().now);
  return true;
}

function findTarget(deps: FireCronDeps, cron: Cron): Promise<Agent | undefined> {
  return cron.agentId === ''
    ? unlessDeleted(findOrCreateOwnAgent(deps, cron))
    : deps.agents.find(cron.agentId);
}

/** The same for every delivery of the same tick. */
export function cronMessageId(cronId: string, tick: Date): string {
  return messageIdOf('cron', cronId, tick.toISOString());
}

/**
 * Not sent if the cron was deleted as well. A repetition after a crash may choose another most
 * recent agent, so an earlier notice is looked up first.
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
      // Whoever created the cron chose its name.
      ...(trust ? { trust } : {}),
      ...(trust && isForeign(trust) ? { foreignWriter: severalWriters } : {}),
      ...(carriesPrivate ? { carriesPrivate } : {}),
    },
  );
}
