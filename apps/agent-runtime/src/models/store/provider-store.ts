import type { Collection, Db } from 'mongodb';
import { pushRequest, tryWrite } from '@daycare/mongo';
import type { AddedProvider } from '../domain/added-providers';
import { providersKey } from '../domain/model-levels';
import { choiceCollection } from './choice-store';

/** Stored beside the choices, so that polling the choices also finds changes to the providers. */
interface ProvidersDocument {
  readonly _id: string;
  readonly revision: number;
  readonly providers: readonly AddedProvider[];
  /** By the database's clock. */
  readonly changedAt: Date;
  /** The ids of the newest requests that changed this document. */
  readonly changedBy: readonly string[];
}

/** All added providers at one point in time. */
export interface AddedProviders {
  /** 0 when no provider was ever added. */
  readonly revision: number;
  readonly providers: readonly AddedProvider[];
  readonly changedBy: readonly string[];
}

const noProviders: AddedProviders = { revision: 0, providers: [], changedBy: [] };

/** The providers that operators have added, all in one document, so that each change is a single write. */
export class ProviderStore {
  readonly #documents: Collection<ProvidersDocument>;

  constructor(db: Db) {
    this.#documents = db.collection(choiceCollection);
  }

  async read(): Promise<AddedProviders> {
    return (await this.#documents.findOne({ _id: providersKey })) ?? noProviders;
  }

  /** Replaces the providers; returns false when they have changed since they were read. */
  async replace(
    { revision }: AddedProviders,
    providers: readonly AddedProvider[],
    requestId: string,
  ): Promise<boolean> {
    const replaced = await tryWrite(() =>
      this.#documents.updateOne(
        { _id: providersKey, revision },
        {
          $set: { providers: [...providers] },
          $inc: { revision: 1 },
          $currentDate: { changedAt: true },
          $push: { changedBy: pushRequest(requestId) },
        },
        { upsert: revision === 0 },
      ),
    );
    return replaced !== undefined && replaced.modifiedCount + replaced.upsertedCount === 1;
  }
}
