import { ObjectId, type Collection, type Document } from 'mongodb';
import type { OutgoingMessage } from '@daycare/messaging';
import { groupCalls, insertAll } from '@daycare/mongo';
import { toOutgoing } from './notice-rows';
import { replaceUnchanged, type Replacement } from './replace-unchanged';
import {
  expiryOf,
  nextVersionOf,
  toDocument,
  toEndedDocument,
  type EndedTieDocument,
  type StoredNotice,
  type StoredTie,
  type TieDocument,
} from './tie-document';

/** Publishes notices that were just stored; must neither throw nor block. */
export type PublishNotices = (messages: readonly OutgoingMessage[]) => void;

/** A tie to store if the stored one still has the version that was read. */
interface TieWrite {
  /** Kept in a changed tie for a while, as proof that the write happened; not stored in a new tie. */
  readonly id: ObjectId;
  readonly tie: StoredTie;
  readonly next: TieDocument | EndedTieDocument;
  readonly notices: readonly StoredNotice[];
}

/** Generous estimates, so that a batch stays far below the size limit of a command. */
const bytesOfTie = 8 * 1024;
const bytesOfShare = 512;

/** More writes than other replicas normally add to a tie before a batch reads it back; see `#findStored`. */
const maxKeptWrites = 16;

/** Adds to the stored notices: since the tie was read, receipts may have removed some without changing its version. */
const notices = concat('$notices', '$$change.more.notices');
const carryOver: Document = {
  notices,
  dueAt: { $ifNull: [{ $min: ['$dueAt', '$$change.more.dueAt'] }, '$$REMOVE'] },
  // If the last receipt arrived after the tie was read, no later receipt will set the expiry.
  expiresAt: expiryOf(notices, '$$change.next'),
  writes: { $slice: [concat('$writes', '$$change.more.writes'), -maxKeptWrites] },
};

/** Writes ties in batches; every race is decided by the versions that the ties had when they were read. */
export class TieWriter {
  #publish: PublishNotices = () => undefined;
  readonly #insert = groupCalls((writes: readonly TieWrite[]) => this.#insertBatch(writes), {
    bytesOf,
  });
  readonly #replace = groupCalls((writes: readonly TieWrite[]) => this.#replaceBatch(writes), {
    bytesOf,
  });

  constructor(private readonly ties: Collection<TieDocument>) {}

  onNotices(publish: PublishNotices): void {
    this.#publish = publish;
  }

  save(tie: StoredTie, notices: readonly StoredNotice[]): Promise<boolean> {
    const next = toDocument({ ...tie, version: nextVersionOf(tie) });
    const write = { id: new ObjectId(), tie, next, notices };
    return tie.version === 0 ? this.#insert(write) : this.#replace(write);
  }

  async remove(tie: StoredTie, notices: readonly StoredNotice[]): Promise<boolean> {
    if (notices.length > 0 || tie.notices) {
      const next = toEndedDocument({ ...tie, version: tie.version + 1 });
      return this.#replace({ id: new ObjectId(), tie, next, notices });
    }
    const { deletedCount } = await this.ties.deleteOne({ _id: tie.pair.id, version: tie.version });
    return deletedCount === 1;
  }

  async #insertBatch(writes: readonly TieWrite[]): Promise<boolean[]> {
    const documents = writes.map(({ next, notices }) => ({
      ...(next as TieDocument),
      ...(notices.length > 0 ? noticeFields(notices) : expiryOfNew(next as TieDocument)),
    }));
    const outcomes = await insertAll(this.ties, documents);
    const stored = writes.filter((_, index) => outcomes[index] === 'stored');
    this.#publishAll(stored);
    return writes.map((write) => stored.includes(write));
  }

  /** Of several changes to one tie, only the first can succeed; the others lose and must be decided again. */
  async #replaceBatch(writes: readonly TieWrite[]): Promise<boolean[]> {
    const firsts = new Map([...writes].reverse().map((write) => [write.tie.pair.id, write]));
    const tried = [...firsts.values()];
    const count = await replaceUnchanged(this.ties, tried.map(toReplacement), carryOver);
    const stored = new Set(count === tried.length ? tried : await this.#findStored(tried));
    this.#publishAll([...stored]);
    return writes.map((write) => stored.has(write));
  }

  /**
   * Returns the writes whose ids are still in their ties. If its id is missing, a write is treated as lost; should it
   * have been stored after all, the relay publishes its notice with the next overdue ones.
   */
  async #findStored(tried: readonly TieWrite[]): Promise<TieWrite[]> {
    const ids = tried.map(({ tie }) => tie.pair.id);
    const found = await this.ties.find({ _id: { $in: ids } }).toArray();
    const kept = new Map(found.map(({ _id, writes }) => [_id, writes]));
    return tried.filter(({ id, tie }) =>
      kept.get(tie.pair.id)?.some((writeId) => writeId.equals(id)),
    );
  }

  #publishAll(stored: readonly TieWrite[]): void {
    const messages = stored.flatMap(({ tie, notices }) =>
      notices.map((notice) => toOutgoing(notice, tie.pair)),
    );
    if (messages.length > 0) this.#publish(messages);
  }
}

function expiryOfNew({ emptyAt: expiresAt }: TieDocument): Pick<TieDocument, 'expiresAt'> {
  return expiresAt ? { expiresAt } : {};
}

function concat(stored: string, added: string): Document {
  return { $concatArrays: [{ $ifNull: [stored, []] }, added] };
}

function noticeFields(notices: readonly StoredNotice[]) {
  const [first] = notices;
  return { notices, ...(first && { dueAt: first.nextAttemptAt }) };
}

function toReplacement({ id, tie, next, notices }: TieWrite): Replacement {
  const more = { ...noticeFields(notices), writes: [id] };
  return { id: tie.pair.id, version: tie.version, next, more };
}

function bytesOf({ tie, notices }: TieWrite): number {
  const shares = tie.tie.shares.map(
    ({ subuserName, subuserDescription }) =>
      bytesOfShare + 4 * (subuserName.length + subuserDescription.length),
  );
  const sum = shares.reduce((total, bytes) => total + bytes, bytesOfTie);
  return notices.reduce((total, { payload }) => total + payload.length(), sum);
}
