import type { ClientSession, MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import type { Signal, Subscription } from '../domain/signal';
import { lostRace, runTogether, Undone } from './run-together';
import type { SignalStore } from './signal-store';
import type { SubscriptionStore } from './subscription-store';

export interface SignalChangesParts {
  readonly client: MongoClient;
  readonly signals: SignalStore;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: OutboxStore;
}

/** What is to be told to whom, given who is subscribed. */
export type DraftDeliveries = (subscriptions: readonly Subscription[]) => readonly MessageDraft[];

export interface Emission {
  /** False when somebody else has emitted or replaced the signal, or it was stored before. */
  readonly isNew: boolean;
  /** The lanes that something was appended to. */
  readonly lanes: readonly string[];
}

const nothing: Emission = { isNew: false, lanes: [] };

/** Stores a signal together with what its hearers are to hear, or nothing. */
export class SignalChanges {
  constructor(private readonly parts: SignalChangesParts) {}

  /** A new signal that is heard at once, and instead of one that waits with its type and repeat key. */
  async emit(signal: Signal, draft: DraftDeliveries): Promise<Emission> {
    const { client, signals } = this.parts;
    return runTogether(client, async (session) => {
      if (signal.repeatKey !== '') await signals.replaceWaiting(signal, session);
      if ((await signals.insert(signal, session)) !== 'stored') throw new Undone(nothing);
      return this.#tell(signal, draft, session);
    });
  }

  /** A waiting signal whose time has come; whoever is subscribed now hears it. */
  async emitDue(signal: Signal, now: Date, draft: DraftDeliveries): Promise<Emission> {
    const { client, signals } = this.parts;
    return runTogether(client, async (session) => {
      if (!(await signals.markEmitted(signal, now, session))) throw new Undone(nothing);
      return this.#tell(signal, draft, session);
    });
  }

  /** A new signal that waits; it takes the place of one that waits with the same type and repeat key. */
  async schedule(signal: Signal): Promise<void> {
    const { client, signals } = this.parts;
    if (signal.repeatKey === '') {
      await signals.insert(signal);
      return;
    }
    await runTogether(client, async (session) => {
      await signals.replaceWaiting(signal, session);
      const outcome = await signals.insert(signal, session);
      if (outcome === 'taken') throw lostRace();
      if (outcome === 'known') throw new Undone(undefined);
    });
  }

  async #tell(
    { userId }: Signal,
    draft: DraftDeliveries,
    session: ClientSession,
  ): Promise<Emission> {
    const { subscriptions, outbox } = this.parts;
    const drafts = draft(await subscriptions.listOf(userId, session));
    if (drafts.length > 0) await outbox.append(drafts, session);
    return { isNew: true, lanes: drafts.map(({ lane }) => lane) };
  }
}
