import type { MongoClient } from 'mongodb';
import { AppError } from '@daycare/errors';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { inTransaction } from '@daycare/mongo';
import type { BudgetDecision, RequestBudget } from '../domain/request-budget';
import type { BudgetStore } from './budget-store';
import type { StoredTie } from './tie-document';
import type { TieStore } from './tie-store';

export interface TieChange {
  readonly tie: StoredTie;
  /** What the other side is to hear; stored with the change or not at all. */
  readonly notices: readonly MessageDraft[];
  /** What nobody is to hear, but costs the same time as if somebody did. */
  readonly untold?: readonly MessageDraft[];
  /** Set when the change is a new request, which counts against the asker's limits. */
  readonly request?: {
    readonly userId: string;
    readonly now: Date;
    /** How many waiting requests are of interest. */
    readonly countUpTo: number;
    readonly decide: (budget: RequestBudget, pendingOut: number) => BudgetDecision;
  };
}

export type ChangeOutcome = 'saved' | 'lost-race' | Exclude<BudgetDecision, { budget: unknown }>;

export interface TieChangesParts {
  readonly client: MongoClient;
  readonly ties: TieStore;
  readonly budgets: BudgetStore;
  readonly outbox: OutboxStore;
}

class Stopped extends Error {
  constructor(readonly outcome: ChangeOutcome) {
    super('the transaction ends without effect');
  }
}

/** Saves a tie and all that goes with it, or nothing. */
export class TieChanges {
  constructor(private readonly parts: TieChangesParts) {}

  async save(change: TieChange): Promise<ChangeOutcome> {
    const { ties } = this.parts;
    if (change.notices.length === 0 && !change.request) {
      return (await ties.save(change.tie)) ? 'saved' : 'lost-race';
    }
    return settle(() => this.#saveTogether(change));
  }

  async #saveTogether({ tie, notices, untold = [], request }: TieChange): Promise<void> {
    const { client, ties, budgets, outbox } = this.parts;
    await inTransaction(client, async (session) => {
      if (request) {
        const { userId, countUpTo, now } = request;
        const budget = await budgets.find(userId, session);
        const pendingOut = await ties.countPendingOut(userId, countUpTo, session);
        const decision = request.decide(budget, pendingOut);
        if (!('budget' in decision)) throw new Stopped(decision);
        await budgets.save(userId, decision.budget, now, session);
      }
      if (!(await ties.save(tie, session))) throw new Stopped('lost-race');
      if (notices.length > 0) await outbox.append(notices, session);
      if (untold.length > 0) await outbox.pretend(untold, session);
    });
  }

  /** Removes a tie for good, with what its members are to hear of it. */
  async remove(tie: StoredTie, notices: readonly MessageDraft[]): Promise<ChangeOutcome> {
    const { client, ties, outbox } = this.parts;
    return settle(() =>
      inTransaction(client, async (session) => {
        if (!(await ties.remove(tie, session))) throw new Stopped('lost-race');
        if (notices.length > 0) await outbox.append(notices, session);
      }),
    );
  }
}

/** Runs a transaction and tells how it ended. */
async function settle(transaction: () => Promise<unknown>): Promise<ChangeOutcome> {
  try {
    await transaction();
    return 'saved';
  } catch (error) {
    if (error instanceof Stopped) return error.outcome;
    if (error instanceof AppError && error.code === 'CONFLICT') return 'lost-race';
    throw error;
  }
}
