import { randomUUID } from 'node:crypto';
import { messageGroups, messageRoutes } from '@daycare/contracts/message-routes';
import type { Collection, Db, Document, Filter } from 'mongodb';
import {
  claimedFields,
  type Backlog,
  type Due,
  type MessageSource,
  type Outcome,
  type OutgoingMessage,
  type RowTie,
  type Settlement,
} from '@daycare/messaging';
import { pairIdOfNotice } from '../domain/tie/notices';
import { toOutgoing, type NoticeTiming } from './notice-rows';
import { expiryOf, fromDocument, type StoredNotice, type TieDocument } from './tie-document';
import { oldestNoticeIndex, tieCollection } from './tie-store';

const epoch = new Date(0);
/** Enough for a metric. */
const maxCounted = 100_000;

/**
 * Fields computed from the notices, and recomputed whenever the notices change. An ended or empty tie does not
 * expire before its last notice has been erased.
 */
const derivedFields: Document = {
  dueAt: {
    $cond: [{ $eq: ['$notices', []] }, '$$REMOVE', { $min: '$notices.nextAttemptAt' }],
  },
  expiresAt: expiryOf('$notices', '$$ROOT'),
};

/** Ends the messages covered by a closing; called before the closing is published again. */
export type EndTie = (tie: RowTie) => Promise<void>;

/** Lets the relay republish the notices stored in ties until each has its receipt. */
export class NoticeSource implements MessageSource {
  readonly #ties: Collection<TieDocument>;

  constructor(
    db: Db,
    private readonly timing: NoticeTiming,
    private readonly endTie: EndTie,
  ) {
    this.#ties = db.collection<TieDocument>(tieCollection);
  }

  owns(id: string): boolean {
    return pairIdOfNotice(id) !== undefined;
  }

  /** Claims only notices that a majority has stored, because a published notice must not be rolled back. */
  async claimDue(due: Due, limit: number): Promise<readonly OutgoingMessage[]> {
    const found = await this.#ties
      .find(this.#matchDue(due), { projection: { notices: 1 } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .toArray();
    const ids = found
      .flatMap(({ notices = [] }) => notices.filter((notice) => isDue(notice, due)))
      .slice(0, limit)
      .map(({ id }) => id);
    return ids.length > 0 ? this.#claim(ids, due) : [];
  }

  async nextDueAt(): Promise<Date | undefined> {
    const options = { projection: { dueAt: 1 }, sort: { dueAt: 1 } } as const;
    return (await this.#ties.findOne({ dueAt: { $gte: epoch } }, options))?.dueAt;
  }

  async release(ids: readonly string[], nextAttemptAt: Date): Promise<void> {
    const publications = { $subtract: ['$$this.publications', 1] };
    await this.#change(ids, {}, { nextAttemptAt, publications });
  }

  async findOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#ties.find(tiesOf(ids), { projection: { 'notices.id': 1 } }).toArray();
    const open = found.flatMap(({ notices = [] }) => notices.map(({ id }) => id));
    return new Set(open.filter((id) => ids.includes(id)));
  }

  /** A notice is erased when its receipt arrives, because its status can never be queried. */
  async settle(outcomes: readonly Outcome[]): Promise<Settlement> {
    let settled = 0;
    for (const consumer of new Set(outcomes.map((outcome) => outcome.consumer))) {
      const ids = outcomes.filter((outcome) => outcome.consumer === consumer).map(({ id }) => id);
      for (const list of divideByTie(ids)) settled += await this.#erase(list, consumer);
    }
    return { settled, hasReleased: false };
  }

  async backlog(): Promise<Backlog> {
    const open = { dueAt: { $gte: epoch } };
    const [rows, oldest] = await Promise.all([
      this.#ties.countDocuments(open, { limit: maxCounted }),
      this.#ties.findOne(open, {
        projection: { 'notices.acceptedAt': 1 },
        sort: { 'notices.acceptedAt': 1 },
        hint: oldestNoticeIndex,
      }),
    ]);
    const times = oldest?.notices?.map(({ acceptedAt }) => acceptedAt.getTime()) ?? [];
    return { rows, ...(times.length > 0 && { oldestAcceptedAt: new Date(Math.min(...times)) }) };
  }

  async #claim(ids: readonly string[], due: Due): Promise<readonly OutgoingMessage[]> {
    const claim = randomUUID();
    await this.#change(ids, isStillDue(due), claimedFields(due, claim, this.timing, '$$this.'));
    const claimed = await this.#ties
      .find({ ...tiesOf(ids), 'notices.claim': claim }, { readConcern: { level: 'local' } })
      .toArray();
    const own = claimed.flatMap((document) => {
      const { pair } = fromDocument(document);
      const notices = (document.notices ?? []).filter((notice) => notice.claim === claim);
      return notices.map((notice) => ({ notice, pair }));
    });
    // The process that stored a closing may have died before it ended the messages.
    for (const { notice, pair } of own)
      if (notice.closes) await this.endTie({ id: pair.id, ...notice.closes });
    return own.map(({ notice, pair }) => toOutgoing(notice, pair));
  }

  /**
   * Erases the given notices that the service `consumer` consumes, since only the service that consumes a notice
   * knows its outcome; erases all of them if `consumer` is undefined. Returns how many ties changed, which is the
   * number of notices erased only if `ids` contains at most one notice per tie.
   */
  async #erase(ids: readonly string[], consumer: string | undefined): Promise<number> {
    const groups = messageGroups.filter(
      (group) => consumer === undefined || messageRoutes[group].to === consumer,
    );
    const isSettled = [
      { $in: ['$$this.id', { $literal: ids }] },
      { $in: [{ $ifNull: ['$$this.service', 'agents'] }, { $literal: groups }] },
    ];
    const isOpen = { $not: [{ $and: isSettled }] };
    const { modifiedCount } = await this.#ties.updateMany(
      { ...tiesOf(ids), 'notices.id': { $in: [...ids] } },
      [
        { $set: { notices: { $filter: { input: '$notices', cond: isOpen } } } },
        { $set: derivedFields },
      ],
    );
    return modifiedCount;
  }

  /** Changes fields of the given notices that meet the condition. */
  async #change(ids: readonly string[], condition: Document, fields: Document): Promise<void> {
    const matches = { $and: [{ $in: ['$$this.id', { $literal: ids }] }, condition] };
    const changed = { $cond: [matches, { $mergeObjects: ['$$this', fields] }, '$$this'] };
    await this.#ties.updateMany({ ...tiesOf(ids), 'notices.id': { $in: [...ids] } }, [
      { $set: { notices: { $map: { input: '$notices', as: 'this', in: changed } } } },
      { $set: derivedFields },
    ]);
  }

  /** No notice is postponed by more than `maxRepublishAfterMs`, so only part of the index has to be read. */
  #matchDue({ now, republishBefore }: Due): Filter<TieDocument> {
    if (republishBefore <= epoch) return { dueAt: { $lte: now } };
    const latest = new Date(+republishBefore + this.timing.maxRepublishAfterMs);
    return {
      dueAt: { $lte: latest > now ? latest : now },
      $or: [{ dueAt: { $lte: now } }, { 'notices.publishedAt': { $lt: republishBefore } }],
    };
  }
}

function isDue({ nextAttemptAt, publishedAt }: StoredNotice, { now, republishBefore }: Due) {
  return nextAttemptAt <= now || publishedAt < republishBefore;
}

function isStillDue({ now, republishBefore }: Due): Document {
  return {
    $or: [
      { $lte: ['$$this.nextAttemptAt', now] },
      { $lt: ['$$this.publishedAt', republishBefore] },
    ],
  };
}

/** Divides notices, without duplicates, into lists that contain at most one notice per tie. */
function divideByTie(ids: readonly string[]): readonly (readonly string[])[] {
  const lists: string[][] = [];
  const counts = new Map<string | undefined, number>();
  for (const id of new Set(ids)) {
    const tie = pairIdOfNotice(id);
    const earlierCount = counts.get(tie) ?? 0;
    counts.set(tie, earlierCount + 1);
    (lists[earlierCount] ??= []).push(id);
  }
  return lists;
}

/** Matches the ties that contain these notices. */
function tiesOf(ids: readonly string[]): { _id: { $in: string[] } } {
  return { _id: { $in: [...new Set(ids.flatMap((id) => pairIdOfNotice(id) ?? []))] } };
}
