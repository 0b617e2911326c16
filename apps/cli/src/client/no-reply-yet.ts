import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** Returns the failure to report when an agent has not replied in time. */
export function noReplyYet(agentId?: string): Failure {
  const watch = ['daycare agent watch', agentId].filter(Boolean).join(' ');
  return new Failure(
    exitCodes.unavailable,
    'No reply yet. Your message is stored and will be handled.',
    `Watch for the reply with "${watch}".`,
  );
}
