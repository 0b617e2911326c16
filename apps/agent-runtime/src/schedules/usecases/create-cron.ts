import { FieldChecks, messageIdOf, notFound } from '@daycare/api';
import { nextTick, tidySchedule } from '../domain/cron-schedule';
import {
  checkCron,
  provenanceOf,
  requireSameSpec,
  tooMany,
  type CreatingTurn,
  type Cron,
  type CronSpec,
} from '../domain/schedule';
import { agentDead, type AgentReader, type FindOrCreateAgent, type OwnerOf } from '../../agents';
import type { CronStore } from '../store/cron-store';
import { findOrCreateOwnAgent } from './firing/cron-agent';

export interface CreateCronCall
  extends
    Omit<CronSpec, 'overlap' | 'quiet'>,
    Partial<Pick<CronSpec, 'overlap' | 'quiet'>>,
    CreatingTurn {
  readonly userId: string;
  readonly requestId: string;
  /** The user's agent that receives the prompt; empty to create an agent for this cron. */
  readonly agentId: string;
}

export interface CreateCronDeps {
  readonly crons: CronStore;
  readonly agents: AgentReader;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly ownerOf: OwnerOf;
  /** Returns a user's time zone; empty when unknown. */
  readonly timeZoneOf: (userId: string) => Promise<string>;
  readonly shardOf: (userId: string) => number;
  readonly now: () => Date;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

/**
 * Schedules a prompt for an agent. The cron's id is derived from the request, so that retries do not create another
 * cron.
 */
export function makeCreateCron(deps: CreateCronDeps) {
  return async (call: CreateCronCall): Promise<Cron> => {
    const id = messageIdOf('cron', call.userId, call.requestId);
    check(deps, call, specOf(call, 'UTC'));
    const known = await findKnown(deps, call, id);
    if (known) return withAgent(deps, known);
    const spec = specOf(call, await zoneFor(deps, call));
    check(deps, call, spec);
    await checkTarget(deps, call);
    const cron = draftOf(deps, call, spec, id);
    const outcome = await deps.crons.insert(cron, await deps.ownerOf(call.userId));
    if (outcome === 'too-many') throw tooMany('crons');
    const stored = outcome === 'known' ? await findKnown(deps, call, id) : cron;
    return withAgent(deps, stored ?? cron);
  };
}

/** Returns the spec in its stored form. `ownZone` is used when the call names no zone. */
function specOf(call: CreateCronCall, ownZone: string): CronSpec {
  const { name, schedule, timeZone, prompt, once, overlap = 'skip', quiet = false } = call;
  return {
    name: name.trim(),
    schedule: tidySchedule(schedule),
    timeZone: timeZone === '' ? ownZone : timeZone,
    prompt: prompt.trim(),
    once,
    overlap,
    quiet,
  };
}

/**
 * Returns the new cron's zone: the one the call names, or else the user's current one, or UTC if that is unknown. The
 * cron keeps this zone when the user's zone changes.
 */
async function zoneFor(
  { timeZoneOf }: CreateCronDeps,
  { userId, timeZone }: CreateCronCall,
): Promise<string> {
  return timeZone === '' ? (await timeZoneOf(userId)) || 'UTC' : timeZone;
}

function check(
  { scheduleNow }: CreateCronDeps,
  { requestId, agentId, name, prompt }: CreateCronCall,
  spec: CronSpec,
): void {
  const checks = new FieldChecks().requestId(requestId);
  if (agentId !== '') checks.id(agentId, 'agent_id');
  checkCron({ ...spec, name, prompt }, checks, scheduleNow());
  checks.done();
}

async function findKnown(
  { crons }: CreateCronDeps,
  call: CreateCronCall,
  id: string,
): Promise<Cron | undefined> {
  const { userId, agentId } = call;
  const found = await crons.find(userId, id);
  if (found && found !== 'deleted' && found.edited) return found;
  // Only a zone that the call names is compared, because the user's zone may have changed since the first attempt.
  const { timeZone, ...spec } = specOf(call, '');
  const named = {
    ...(timeZone === '' ? {} : { timeZone }),
    ...(agentId === '' ? {} : { agentId }),
  };
  return requireSameSpec(found, 'cron', { ...spec, ...named });
}

async function checkTarget(
  { agents }: CreateCronDeps,
  { userId, agentId }: CreateCronCall,
): Promise<void> {
  if (agentId === '') return;
  const agent = await agents.find(agentId);
  if (agent?.userId !== userId) throw notFound('agent');
  if (agent.diedAt) throw agentDead();
}

/** Only a stored cron gets an agent; if this is interrupted, a retry or the first tick creates the agent. */
async function withAgent(deps: CreateCronDeps, cron: Cron): Promise<Cron> {
  return cron.agentId === ''
    ? { ...cron, agentId: (await findOrCreateOwnAgent(deps, cron)).id }
    : cron;
}

function draftOf(
  { shardOf, now, scheduleNow }: CreateCronDeps,
  { userId, agentId, ...turn }: CreateCronCall,
  spec: CronSpec,
  id: string,
): Cron {
  return {
    id,
    userId,
    shard: shardOf(userId),
    ...spec,
    ...provenanceOf(turn),
    agentId,
    runs: [],
    nextFireAt: nextTick(spec, scheduleNow()),
    lastFiredAt: undefined,
    createdAt: now(),
  };
}
