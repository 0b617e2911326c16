import type { Agent } from '../domain/agent';
import { nextTick } from '../domain/cron-schedule';
import type { ScheduleMoment } from '../domain/due-ticks';
import { isSpent, type Cron } from '../domain/schedule';
import { deadTargetNotice } from '../domain/schedule-wording';
import type { FiringCron } from '../store/cron-store';
import { fireDue, type ShowTick } from './fire-due';
import { messageIdOf } from './message-id';
import { endOwnAgent, makeOwnAgent, unlessGone, type OwnAgentDeps } from './own-agent';
import type { RankForeground } from './rank-foreground';
import type { TellAgent } from './tell-agent';

export interface FireCronDeps extends OwnAgentDeps {
  readonly tellAgent: TellAgent;
  readonly rankForeground: RankForeground;
  /** The time that schedules go by. */
  readonly moment: () => ScheduleMoment;
  readonly showTick: ShowTick;
}

/**
 * Has a cron's agent hear what is due; one for once that fired long ago is removed. `mayGoOn` is asked
 * before each tick.
 */
export function makeFireCron(deps: FireCronDeps) {
  return (cron: FiringCron, mayGoOn: () => boolean): Promise<void> =>
    !cron.firing && isSpent(cron, deps.moment().now)
      ? removeSpent(deps, cron)
      : fireDue(cron, {
          ticks: deps.crons.ticks,
          moment: deps.moment,
          mayGoOn,
          nextTick: (after) => nextTick(cron, after),
          once: cron.once,
          tell: (tick) => tell(deps, cron, tick),
        });
}

async function removeSpent(deps: FireCronDeps, cron: Cron): Promise<void> {
  await endOwnAgent(deps, cron);
  await deps.crons.deleteSpent(cron);
}

async function tell(deps: FireCronDeps, cron: Cron, tick: Date): Promise<boolean> {
  const { id, userId, prompt } = cron;
  const agent = await findTarget(deps, cron);
  if (!agent || agent.diedAt) {
    await tellOfDeadTarget(deps, { ...cron, agentId: agent?.id ?? cron.agentId }, tick);
    return false;
  }
  await deps.tellAgent(
    { agentId: agent.id, userId },
    {
      messageId: cronMessageId(id, tick),
      senderUserId: userId,
      origin: `cron:${id}`,
      text: prompt,
      hops: 0,
    },
  );
  deps.showTick('cron', tick, deps.moment().now);
  return true;
}

function findTarget(deps: FireCronDeps, cron: Cron): Promise<Agent | undefined> {
  return cron.agentId === ''
    ? unlessGone(makeOwnAgent(deps, cron))
    : deps.agents.find(cron.agentId);
}

/** The same whenever the same tick is told. */
export function cronMessageId(cronId: string, tick: Date): string {
  return messageIdOf('cron', cronId, tick.toISOString());
}

/**
 * Unless the cron is gone as well. Another agent may be the most recent one when this is repeated after
 * a crash.
 */
async function tellOfDeadTarget(deps: FireCronDeps, cron: Cron, tick: Date): Promise<void> {
  const { id, userId } = cron;
  const current = await deps.crons.find(userId, id);
  if (!current || current === 'deleted') return;
  const messageId = messageIdOf('cron-paused', id, tick.toISOString());
  if (await deps.inbox.findRecipient(userId, messageId)) return;
  const [talker] = await deps.rankForeground(userId);
  if (!talker) return;
  const text = deadTargetNotice(cron);
  const news = { messageId, senderUserId: userId, origin: 'system', text, hops: 0, silent: true };
  await deps.tellAgent({ agentId: talker.id, userId }, news);
}
