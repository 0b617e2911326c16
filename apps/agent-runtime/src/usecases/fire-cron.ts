import { nextTick } from '../domain/cron-schedule';
import type { ScheduleMoment } from '../domain/due-ticks';
import type { Cron } from '../domain/schedule';
import { deadTargetNotice } from '../domain/schedule-wording';
import type { AgentStore } from '../store/agent-store';
import type { CronStore, FiringCron } from '../store/cron-store';
import type { InboxStore } from '../store/inbox-store';
import { fireDue } from './fire-due';
import { messageIdOf } from './message-id';
import type { RankForeground } from './rank-foreground';
import type { TellAgent } from './tell-agent';

export interface FireCronDeps {
  readonly crons: CronStore;
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  readonly tellAgent: TellAgent;
  readonly rankForeground: RankForeground;
  /** The time that schedules go by. */
  readonly moment: () => ScheduleMoment;
}

/** Has a cron's agent hear what is due. `mayGoOn` is asked before each tick. */
export function makeFireCron(deps: FireCronDeps) {
  return (cron: FiringCron, mayGoOn: () => boolean): Promise<void> =>
    fireDue(cron, {
      ticks: deps.crons.ticks,
      moment: deps.moment,
      mayGoOn,
      nextTick: (after) => (cron.once ? undefined : nextTick(cron, after)),
      tell: (tick) => tell(deps, cron, tick),
    });
}

async function tell(deps: FireCronDeps, cron: Cron, tick: Date): Promise<boolean> {
  const { id, userId, agentId, prompt } = cron;
  const agent = await deps.agents.find(agentId);
  if (!agent || agent.diedAt) {
    await tellOfDeadTarget(deps, cron, tick);
    return false;
  }
  await deps.tellAgent(
    { agentId, userId },
    {
      messageId: cronMessageId(id, tick),
      senderUserId: userId,
      origin: `cron:${id}`,
      text: prompt,
      hops: 0,
    },
  );
  return true;
}

/** The same whenever the same tick is told. */
export function cronMessageId(cronId: string, tick: Date): string {
  return messageIdOf('cron', cronId, tick.toISOString());
}

/** Another agent may be the most recent one when this is repeated after a crash. */
async function tellOfDeadTarget(deps: FireCronDeps, cron: Cron, tick: Date): Promise<void> {
  const { id, userId } = cron;
  const messageId = messageIdOf('cron-paused', id, tick.toISOString());
  if (await deps.inbox.findRecipient(userId, messageId)) return;
  const [talker] = await deps.rankForeground(userId);
  if (!talker) return;
  const text = deadTargetNotice(cron);
  const news = { messageId, senderUserId: userId, origin: 'system', text, hops: 0, silent: true };
  await deps.tellAgent({ agentId: talker.id, userId }, news);
}
