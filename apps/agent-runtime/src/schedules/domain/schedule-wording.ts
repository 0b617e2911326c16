import { trustLevels } from '@daycare/api';
import { fitCharacters } from '../../shared/text/fit-characters';
import type { Cron, Heartbeat, ScheduleProvenance } from './schedule';

/** A batch has to fit into a model's context; heartbeats that do not fit come first in the next batch. */
const maxBatchCharacters = 100_000;

/** Returns the notice that the agent talking with the user receives when a cron's agent is dead. */
export function deadTargetNotice({
  id,
  name,
  agentId,
}: Pick<Cron, 'id' | 'name' | 'agentId'>): string {
  return `The cron ${JSON.stringify(name)} (${id}) was paused because its agent ${agentId} is dead.`;
}

/** Answers from a quiet schedule's own agent are not shown to the person. */
const quietHint =
  '(This schedule is quiet: your answer is not shown to your user. To report something important, call send_agent_message without an agentId.)';

/**
 * Returns a cron's prompt as the agent receives it. The prompt for an agent that talks with the person never says that
 * the cron is quiet, because this agent's answers appear in the conversation anyway.
 */
export function promptText(
  { prompt, quiet }: Pick<Cron, 'prompt' | 'quiet'>,
  { foreground }: { readonly foreground: boolean },
): string {
  return quiet && !foreground ? `${prompt}\n\n${quietHint}` : prompt;
}

/** Returns the heartbeats that fit into a batch, those that have waited longest first. */
export function chooseBatch(heartbeats: readonly Heartbeat[]): readonly Heartbeat[] {
  const lastRunMs = ({ lastRunAt }: Heartbeat): number => lastRunAt?.getTime() ?? 0;
  const byWait = [...heartbeats].sort((one, other) => lastRunMs(one) - lastRunMs(other));
  return fitCharacters(byWait, maxBatchCharacters);
}

/** The heartbeats of one batch that are answered together. */
export interface BatchPart extends ScheduleProvenance {
  readonly quiet: boolean;
  readonly heartbeats: readonly Heartbeat[];
}

/**
 * Splits a batch by trust, the user's own first, and separates quiet heartbeats. A part is private if one of
 * its heartbeats is.
 */
export function splitBatch(heartbeats: readonly Heartbeat[]): readonly BatchPart[] {
  const kinds = [undefined, ...trustLevels].flatMap((level) =>
    [false, true].map((quiet) => ({ level, quiet })),
  );
  return kinds.flatMap(({ level, quiet }) => {
    const alike = heartbeats.filter((each) => each.trust === level && each.quiet === quiet);
    const isPrivate = alike.some(({ carriesPrivate }) => carriesPrivate);
    const trust = level ? { trust: level } : {};
    const label = isPrivate ? { carriesPrivate: true as const } : {};
    return alike.length > 0 ? [{ quiet, ...trust, ...label, heartbeats: alike }] : [];
  });
}

export function batchText({ heartbeats, quiet }: Pick<BatchPart, 'heartbeats' | 'quiet'>): string {
  const tasks = heartbeats.map(({ title, prompt }) => `## ${title}\n${prompt}`);
  return [...tasks, ...(quiet ? [quietHint] : [])].join('\n\n');
}
