import type { ClientSession, MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { abort, commit, retryTransaction } from '@daycare/mongo';
import type { Signal, Subscription } from '../domain/signals/signal';
import { lostRace } from './lost-race';
import type { SignalStore } from './signal-store';
import type { SubscriptionStore } from './subscription-store';

export interface SignalChangesDeps {
  readonly client: MongoClient;
  readonly signals: SignalStore;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: OutboxStore;
}

/** Returns the messages to deliver, given the user's subscriptions. */
export type DraftDeliveries = (subscriptions: readonly Subscription[]) => readonly MessageDraft[];

/** `known`: the signal was already stored, or already emitted or replaced by another call. */
export type Emission = 'emitted' | 'known';

/** Stores a signal's change together with the deliveries it causes, in one transaction. */
export class SignalChanges {
  constructor(private readonly deps: SignalChangesDeps) {}

  /** Emits a new signal immediately, replacing a waiting one with the same type and repeat key. */
  async emit(signal: Signal, draft: DraftDeliveries): Promise<Emission> {
    const { client, signals } = this.deps;
    return retryTransaction(client, async (session) => {
      if (signal.repeatKey !== '') await signals.replaceWaiting(signal, session);
      if ((await signals.insert(signal, session)) !== 'stored') return abort('known');
      return commit(await this.#deliver(signal, draft, session));
    });
  }

  /** Emits a due signal to the agents that are subscribed now. */
  async emitDue(signal: Signal, now: Date, draft: DraftDeliveries): Promise<Emission> {
    const { client, signals } = this.deps;
    return retryTransaction(client, async (session) => {
      if (!(await signals.markEmitted(signal, now, session))) return abort('known');
      return commit(await this.#deliver(signal, draft, session));
    });
  }

  /** Stores a signal to be emitted later, replacing a waiting one with the same type and repeat key. */
  async schedule(signal: Signal): Promise<void> {
    const { client, signals } = this.deps;
    if (signal.repeatKey === '') {
      await signals.insert(signal);
      return;
    }
    await retryTransaction(client, async (session) => {
      await signals.replaceWaiting(signal, session);
      const outcome = await signals.insert(signal, session);
      if (outcome === 'taken') throw lostRace();
      return outcome === 'known' ? abort(undefined) : commit(undefined);
    });
  }

  async #deliver(
    { userId }: Signal,
    draft: DraftDeliveries,
    session: ClientSession,
  ): Promise<Emission> {
    const { subscriptions, outbox } = this.deps;
    const drafts = draft(await subscriptions.listActive(userId, session));
    if (drafts.length > 0) await outbox.append(drafts, session);
    return 'emitted';
  }
}
