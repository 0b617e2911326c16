import type { ChangeHints } from '@daycare/messaging';
import type { PeerAccess } from '@daycare/service-kit';
import type { Agent } from './agents';

export interface HintDeps {
  readonly hints: Pick<ChangeHints, 'publish' | 'publishGatewayCreated'>;
  readonly directory: Pick<PeerAccess['directory'], 'findById'>;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
  /** Called when looking up a user's owner fails. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends change hints to the watchers of a user's agents and schedules: the user and, for a subuser, its
 * owner. An agent falls asleep merely because time passes, so no hint is sent then.
 */
export function makeHintChanges({ hints, directory, sleepAfterMs, now, onFailure }: HintDeps) {
  const hintAgent = ({ userId, ownerUserId }: Agent): void => hints.publish([userId, ownerUserId]);
  const wasAsleep = ({ lastActiveAt }: Agent): boolean =>
    now().getTime() - lastActiveAt.getTime() >= sleepAfterMs;
  return {
    hintUser: (userId: string): void => {
      hints.publish([userId]);
      directory.findById(userId).then((user) => hints.publish([user?.parentUserId]), onFailure);
    },
    /** For a new gateway, a hint also goes to social-graph, which hints everyone with whom the subuser is shared. */
    hintAgentCreated: (agent: Agent): void => {
      hintAgent(agent);
      if (agent.kind === 'subuser') hints.publishGatewayCreated(agent.userId);
    },
    /**
     * Inbox items wake agents. No hint is sent about agents that were already awake, because the state that
     * topologies show has not changed.
     */
    hintAgentsReached: (agents: readonly Agent[]): void =>
      agents.filter(wasAsleep).forEach(hintAgent),
  };
}
