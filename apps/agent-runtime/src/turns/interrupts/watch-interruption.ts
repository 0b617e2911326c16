import type { Agent, AgentReader, CurrentWork } from '../../agents';
import type { InboxReader } from '../../messaging';
import { droppedOf, interruptionOf, type Interruption } from '../domain/stop-turn';
import type { AgentSession } from '../sessions/agent-session';
import type { TurnInterrupts } from './turn-interrupts';

export interface InterruptionDeps {
  readonly inbox: Pick<InboxReader, 'find' | 'findControls'>;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly log: { warn(fields: object, text: string): void };
}

/** Finds the event, if any, that has to end the session's current work. Also refreshes the session's agent. */
export async function findInterruption(
  session: AgentSession,
  work: CurrentWork,
  { inbox, agents }: InterruptionDeps,
): Promise<Interruption | undefined> {
  const [controls, waiting, agent] = await Promise.all([
    inbox.findControls(session.agent),
    inbox.find(session.agent, work.messageIds),
    agents.find(session.agent.id),
  ]);
  if (agent) session.agent = agent;
  if (!agent || endsTurn(agent)) return { kind: 'ended' };
  const items = waiting.map(({ item }) => item);
  return interruptionOf(work, controls) ?? droppedOf(work, items);
}

/**
 * Reports whether the agent's death alone ends its turn. In a cron's own agent it does not, but the turn ends when its
 * prompt has been removed from the inbox (`droppedOf`).
 */
function endsTurn({ kind, diedAt }: Agent): boolean {
  return diedAt !== undefined && kind !== 'cron';
}

/**
 * Watches a turn from its beginning to its end: whenever a check is requested, checks whether the turn has to end.
 */
export class InterruptionWatch {
  readonly #release: () => void;
  #interruption: Interruption | undefined;
  #checking: Promise<void> | undefined;

  constructor(
    private readonly session: AgentSession,
    private readonly interrupts: TurnInterrupts,
    private readonly deps: InterruptionDeps,
    /** Called as soon as a check finds that the turn has to end. */
    private readonly onFound: () => void,
  ) {
    this.#release = interrupts.listen(() => this.#check());
  }

  /** Waits for all requested checks; returns the event that ends the turn, if there is one. */
  async find(): Promise<Interruption | undefined> {
    await this.#checking;
    return this.#interruption;
  }

  release(): void {
    this.#release();
  }

  #check(): void {
    this.#checking ??= this.#checkWhileRaised().finally(() => (this.#checking = undefined));
  }

  async #checkWhileRaised(): Promise<void> {
    const { session, interrupts, deps } = this;
    while (!this.#interruption && interrupts.take()) {
      const work = session.state.current;
      if (!work) return;
      try {
        this.#interruption = await findInterruption(session, work, deps);
      } catch (error) {
        // The next poll requests another check.
        deps.log.warn(
          { err: error, agentId: session.agent.id },
          'checking for a stop request failed; retrying at the next poll',
        );
      }
    }
    if (this.#interruption) this.onFound();
  }
}
