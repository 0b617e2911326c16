import { fitCharacters } from './fit-characters';
import type { Cron, Heartbeat } from './schedule';

/** A batch has to fit into a context; what does not is first in the next one. */
const mostBatchCharacters = 100_000;

/** For the agent that talks with the user, when a cron has nobody left to tell its prompt. */
export function deadTargetNotice({
  id,
  name,
  agentId,
}: Pick<Cron, 'id' | 'name' | 'agentId'>): string {
  return `The cron ${JSON.stringify(name)} (${id}) was paused: the agent ${agentId}, which it is for, is dead.`;
}

/** The heartbeats that a batch has room for, those that have waited longest first. */
export function chooseBatch(heartbeats: readonly Heartbeat[]): readonly Heartbeat[] {
  const ranMs = ({ lastRunAt }: Heartbeat): number => lastRunAt?.getTime() ?? 0;
  const byWait = [...heartbeats].sort((one, other) => ranMs(one) - ranMs(other));
  return fitCharacters(byWait, mostBatchCharacters);
}

export function batchText(heartbeats: readonly Heartbeat[]): string {
  return heartbeats.map(({ title, prompt }) => `## ${title}\n${prompt}`).join('\n\n');
}
