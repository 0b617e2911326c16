import { AppError, FieldChecks, notFound } from '@daycare/errors';
import { nextTick, tidySchedule } from '../domain/cron-schedule';
import { checkCron, knownFor, tooMany, type Cron, type CronWish } from '../domain/schedule';
import type { AgentStore } from '../store/agent-store';
import type { CronStore } from '../store/cron-store';
import type { FindOrMakeAgent } from './ensure-agent';
import { messageIdOf } from './message-id';
import { makeOwnAgent } from './own-agent';

export interface CreateCronCall extends CronWish {
  readonly userId: string;
  readonly requestId: string;
  /** An agent of the user that hears the prompt; empty for an agent of the cron's own. */
  readonly agentId: string;
}

export interface CreateCronDeps {
  readonly crons: CronStore;
  readonly agents: AgentStore;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly shardOf: (userId: string) => number;
  readonly now: () => Date;
  /** The time that schedules go by. */
  readonly scheduleNow: () => Date;
}

/** Has an agent hear a prompt at set times. The cron's id comes from the request, so it is made once. */
export function makeCreateCron(deps: CreateCronDeps) {
  return async (call: CreateCronCall): Promise<Cron> => {
    const wish = wishOf(call);
    check(deps, call, wish);
    const id = messageIdOf('cron', call.userId, call.requestId);
    const known = await findKnown(deps, call, wish, id);
    if (known) return withAgent(deps, known);
    await checkTarget(deps, call);
    const cron = draftOf(deps, call, wish, id);
    const outcome = await deps.crons.insert(cron);
    if (outcome === 'too-many') throw tooMany('crons');
    const kept = outcome === 'known' ? await findKnown(deps, call, wish, id) : cron;
    return withAgent(deps, kept ?? cron);
  };
}

/** As it is stored. */
function wishOf({ name, schedule, timeZone, prompt, once }: CreateCronCall): CronWish {
  return {
    name: name.trim(),
    schedule: tidySchedule(schedule),
    timeZone: timeZone === '' ? 'UTC' : timeZone,
    prompt: prompt.trim(),
    once,
  };
}

function check(
  { scheduleNow }: CreateCronDeps,
  { requestId, agentId, name, prompt }: CreateCronCall,
  wish: CronWish,
): void {
  const checks = new FieldChecks().requestId(requestId);
  if (agentId !== '') checks.id(agentId, 'agent_id');
  checkCron({ ...wish, name, prompt }, checks, scheduleNow());
  checks.done();
}

async function findKnown(
  { crons }: CreateCronDeps,
  { userId, agentId }: CreateCronCall,
  wish: CronWish,
  id: string,
): Promise<Cron | undefined> {
  const found = await crons.find(userId, id);
  return knownFor(found, 'cron', { ...wish, ...(agentId === '' ? {} : { agentId }) });
}

async function checkTarget(
  { agents }: CreateCronDeps,
  { userId, agentId }: CreateCronCall,
): Promise<void> {
  if (agentId === '') return;
  const agent = await agents.find(agentId);
  if (agent?.userId !== userId) throw notFound('agent');
  if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
}

/** Only a cron that is kept gets an agent; should this be cut off, a repetition or the first tick makes it. */
async function withAgent(deps: CreateCronDeps, cron: Cron): Promise<Cron> {
  return cron.agentId === '' ? { ...cron, agentId: (await makeOwnAgent(deps, cron)).id } : cron;
}

function draftOf(
  { shardOf, now, scheduleNow }: CreateCronDeps,
  { userId, agentId }: CreateCronCall,
  wish: CronWish,
  id: string,
): Cron {
  return {
    id,
    userId,
    shard: shardOf(userId),
    ...wish,
    agentId,
    nextFireAt: nextTick(wish, scheduleNow()),
    lastFiredAt: undefined,
    createdAt: now(),
  };
}
