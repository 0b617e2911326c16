import type { ClientSession, Collection, Db, Filter, MongoClient } from 'mongodb';
import { chooseSlot, inTransaction, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { Revocation } from '../../domain/revocation';
import {
  maxTokensPerOwner,
  ownerKeyOf,
  type PersonalToken,
} from '../../domain/sign-in/personal-token';
import type { RevocationStore } from '../revocation-store';

/** The request that created a token. */
export interface TokenRequest {
  readonly id: string;
  /** A fingerprint of everything that the caller requested. */
  readonly fingerprint: string;
}

interface TokenDocument extends Omit<PersonalToken, 'id'> {
  readonly _id: string;
  readonly ownerKey: string;
  readonly request: TokenRequest;
  /** A number below the limit, unique among an owner's tokens; removed when the token is revoked. */
  readonly slot?: number;
  /** The document of a revoked token is kept for an hour, so that a retry of the revocation gets the same answer. */
  readonly revokedAt?: Date;
}

export type InsertOutcome = 'inserted' | 'too-many' | 'request-known';

const collection = 'personal_tokens';
const slotIndex = 'slot';
const requestIndex = 'request';
const keepRevokedMs = 3_600_000;

export const personalTokenIndexes: CollectionIndexes = {
  collection,
  shardKey: { ownerKey: 1 },
  indexes: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    {
      name: slotIndex,
      key: { ownerKey: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $exists: true } },
    },
    { name: requestIndex, key: { ownerKey: 1, 'request.id': 1 }, unique: true },
    { name: 'opener', key: { 'opener.name': 1 } },
    { name: 'user', key: { 'holder.userId': 1 }, sparse: true },
  ],
};

/** Stores personal access tokens, and finds them by id and owner. */
export class PersonalTokenStore {
  readonly #client: MongoClient;
  readonly #tokens: Collection<TokenDocument>;

  constructor(
    db: Db,
    private readonly revocations: RevocationStore,
  ) {
    this.#client = db.client;
    this.#tokens = db.collection<TokenDocument>(collection);
  }

  /**
   * Inserts a token. Unique indexes limit the tokens per owner, and allow one token per request, even if calls are
   * concurrent.
   */
  async insert(
    { id: _id, ...token }: PersonalToken,
    request: TokenRequest,
  ): Promise<InsertOutcome> {
    const ownerKey = ownerKeyOf(token.holder);
    // Checked first, because an earlier attempt of this request may have taken the last slot.
    if (await this.findByRequest(ownerKey, request.id)) return 'request-known';
    for (;;) {
      const slot = chooseSlot(await this.#takenSlots(ownerKey), maxTokensPerOwner, _id);
      if (slot === undefined) return 'too-many';
      try {
        await this.#tokens.insertOne({ _id, ...token, ownerKey, request, slot });
        return 'inserted';
      } catch (error) {
        const violated = violatedIndex(error);
        if (violated === requestIndex) return 'request-known';
        if (violated !== slotIndex) throw error;
      }
    }
  }

  async #takenSlots(ownerKey: string): Promise<(number | undefined)[]> {
    const found = await this.#tokens
      .find({ ownerKey, slot: { $exists: true } }, { projection: { slot: 1 } })
      .toArray();
    return found.map(({ slot }) => slot);
  }

  /** Finds a token that has not ended. */
  async find(id: string, now: Date): Promise<PersonalToken | undefined> {
    const found = await this.#tokens.findOne({ _id: id, ...living(now) });
    return found ? toToken(found) : undefined;
  }

  /** Finds the token that a request created, even if the token has ended, until MongoDB removes its document. */
  async findByRequest(ownerKey: string, requestId: string) {
    const found = await this.#tokens.findOne({ ownerKey, 'request.id': requestId });
    if (!found) return undefined;
    const { request, revokedAt } = found;
    return { token: toToken(found), request, isRevoked: revokedAt !== undefined };
  }

  /** Lists an owner's living tokens, newest first. */
  async list(ownerKey: string, now: Date): Promise<PersonalToken[]> {
    const found = await this.#tokens
      .find({ ownerKey, slot: { $exists: true }, ...living(now) })
      .toArray();
    return found.map(toToken).sort((a, b) => +b.createdAt - +a.createdAt);
  }

  /**
   * Replaces the secret of an unused token; false if the token was used, revoked or given another secret since it was
   * read.
   */
  async replaceHash({ id, hash }: PersonalToken, next: string): Promise<boolean> {
    const unused = { _id: id, hash, lastUsedAt: { $exists: false }, revokedAt: { $exists: false } };
    return (await this.#tokens.updateOne(unused, { $set: { hash: next } })).modifiedCount === 1;
  }

  /** Stores a use; false when the token has ended or its secret was replaced. */
  async recordUse({ id, hash }: PersonalToken, now: Date): Promise<boolean> {
    const { matchedCount } = await this.#tokens.updateOne(
      { _id: id, hash, ...living(now) },
      { $max: { lastUsedAt: now } },
    );
    return matchedCount === 1;
  }

  /**
   * Ends an owner's token; true also for a retry within an hour, false when the owner has no such token. `revocationOf`
   * receives the token with `lastUsedAt`, which may be up to five minutes earlier than the actual last use.
   */
  async end(
    ownerKey: string,
    id: string,
    now: Date,
    revocationOf: (token: PersonalToken) => Revocation | undefined,
  ): Promise<boolean> {
    return inTransaction(this.#client, async (session) => {
      const chosen = { _id: id, ownerKey };
      const before = await this.#tokens.findOneAndUpdate(
        { ...chosen, revokedAt: { $exists: false } },
        {
          $set: { revokedAt: now, expiresAt: new Date(now.getTime() + keepRevokedMs) },
          $unset: { slot: '' },
        },
        { session },
      );
      if (!before) return (await this.#tokens.countDocuments(chosen, { session })) === 1;
      await this.#revoke(toToken(before), revocationOf, session);
      return true;
    });
  }

  async #revoke(
    token: PersonalToken,
    revocationOf: (token: PersonalToken) => Revocation | undefined,
    session: ClientSession,
  ): Promise<void> {
    const revocation = revocationOf(token);
    if (revocation) await this.revocations.add([revocation], session);
  }

  async removeByUsers(userIds: readonly string[]): Promise<void> {
    await this.#tokens.deleteMany({ 'holder.userId': { $in: [...userIds] } });
  }

  /** Returns how many tokens were removed. */
  async removeByOpener(name: string): Promise<number> {
    return (await this.#tokens.deleteMany({ 'opener.name': name })).deletedCount;
  }
}

/** Matches tokens that have not ended; MongoDB removes expired documents only about a minute later. */
function living(now: Date): Filter<TokenDocument> {
  return { revokedAt: { $exists: false }, expiresAt: { $gt: now } };
}

function toToken({ _id: id, ...document }: TokenDocument): PersonalToken {
  const {
    ownerKey: _owner,
    request: _request,
    slot: _slot,
    revokedAt: _revokedAt,
    ...token
  } = document;
  return { id, ...token };
}
