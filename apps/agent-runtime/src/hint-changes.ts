import type { ChangeHints } from '@daycare/messaging';
import { hinting, type Membership } from '@daycare/service-kit';
import type { Agent } from './domain/agent';
import type { ScheduleRunnerParts } from './runtime/schedule-runner';
import type { ScheduleUsecases } from './usecases';
import type { FindOrMakeAgent } from './usecases/ensure-agent';
import type { PutItems } from './usecases/put-items';

export interface HintDeps {
  readonly hints: Pick<ChangeHints, 'tell' | 'tellOfGateway'>;
  readonly directory: Pick<Membership['directory'], 'findById'>;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
  /** Hears why an owner could not be hinted. */
  readonly report: (error: unknown) => void;
}

type Firing = Pick<ScheduleRunnerParts, 'fireCron' | 'fireHeartbeats'>;

interface Schedules<F extends Firing> {
  readonly calls: ScheduleUsecases;
  readonly firing: F;
}

/**
 * Hints those who see a user's agents and schedules: the user and, of a subuser, the owner; of a new
 * gateway also those with whom the subuser is shared. That an agent has fallen asleep is not hinted:
 * nobody does anything at that moment.
 */
export function makeHintChanges({ hints, directory, sleepAfterMs, now, report }: HintDeps) {
  const hintUser = (userId: string): void => {
    hints.tell([userId]);
    directory.findById(userId).then((user) => hints.tell([user?.parentUserId]), report);
  };
  const hintOf = ({ userId, ownerUserId }: Agent): void => hints.tell([userId, ownerUserId]);
  const hintMade = (agent: Agent): void => {
    hintOf(agent);
    if (agent.kind === 'subuser') hints.tellOfGateway(agent.userId);
  };
  const mayAwake = ({ lastActiveAt }: Agent): boolean =>
    now().getTime() - lastActiveAt.getTime() >= sleepAfterMs;
  const ofCall = (_answer: unknown, { userId }: { readonly userId: string }): void =>
    hintUser(userId);
  return {
    hintUser,
    ofCall,
    making: (find: FindOrMakeAgent): FindOrMakeAgent =>
      hinting(find, ({ agent, created }) => created && hintMade(agent)),
    waking: (put: PutItems): PutItems =>
      hinting(put, (_done, addressed) =>
        addressed
          .map(({ agent }) => agent)
          .filter(mayAwake)
          .forEach(hintOf),
      ),
    scheduling: <F extends Firing>({ calls, firing }: Schedules<F>): Schedules<F> => ({
      calls: {
        ...calls,
        createCron: hinting(calls.createCron, ofCall),
        pauseCron: hinting(calls.pauseCron, ofCall),
        deleteCron: hinting(calls.deleteCron, ofCall),
        createHeartbeat: hinting(calls.createHeartbeat, ofCall),
        deleteHeartbeat: hinting(calls.deleteHeartbeat, ofCall),
      },
      firing: {
        ...firing,
        fireCron: hinting(firing.fireCron, ofCall),
        fireHeartbeats: hinting(firing.fireHeartbeats, ofCall),
      },
    }),
  };
}
