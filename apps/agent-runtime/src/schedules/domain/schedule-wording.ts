import { trustLevels } from '@daycare/api';
import { fitCharacters } from '../../shared/text/fit-characters';
import type { Cron, Heartbeat, ScheduleProvenance } from './schedule';

/** A batch has to fit into a context; the rest comes first in the next one. */
const maxBatchCharacters = 100_000;

/** Sent to the agent that talks with the user when a cron's agent is dead. */
export function deadTargetNotice({
  id,
  name,
  agentId,
}: Pick<Cron, 'id' | 'name' | 'agentId'>): string {
  return `The cron ${JSON.stringify(name)} (${id}) was paused because its agent ${agentId} is dead.`;
}

/** The heartbeats that fit into a batch, those that have waited longest first. */
export function chooseBatch(heartbeats: readonly Heartbeat[]): readonly Heartbeat[] {
  const ranMs = ({ lastRunAt }: Heartbeat): number => lastRunAt?.getTime() ?? 0;
  const byWait = [...heartbeats].sort((one, other) => ranMs(one) - ranMs(other));
  return fitCharacters(byWait, maxBatchCharacters);
}

/** The heartbeats of one batch that have the same trust. */
export interface BatchPart extends ScheduleProvenance {
  readonly heartbeats: readonly Heartbeat[];
}

/** The user's own first; a part is private if one of its heartbeats is. */
export function splitByTrust(heartbeats: readonly Heartbeat[]): readonly BatchPart[] {
  return [undefined, ...trustLevels].flatMap((level) => {
    const alike = heartbeats.filter(({ trust }) => trust === level);
    const isPrivate = alike.some(({ carriesPrivate }) => carriesPrivate);
    const trust = level ? { trust: level } : {};
    const label = isPrivate ? { carriesPrivate: true as const } : {};
    return alike.length > 0 ? [{ ...trust, ...label, heartbeats: alike }] : [];
  });
}

export function batchText(heartbeats: readonly Heartbeat[]): string {
  return heartbeats.map(({ title, prompt }) => `## ${title}\n${prompt}`).join('\n\n');
}
