import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { DeletedUserStore, ServiceKit, UserDataStore } from '@daycare/service-kit';
import type { UploadQuota } from '../files';
import { maxEntries, type HomeSize } from './domain/home-size';
import { openHomes } from './usecases/open-homes';
import { homeIndexes, HomeStore } from './store/home-store';
import { programTraceIndexes, ProgramTraceStore } from './store/program-trace-store';
import { provenanceIndexes, ProvenanceStore } from './store/provenance-store';
import { makeSearchFiles, type SearchFiles } from './usecases/search-files';
import { makeUploadQuota } from './usecases/upload-quota';
import type { UserHomes } from './usecases/user-homes';

export const homesIndexes: readonly CollectionIndexes[] = [
  homeIndexes,
  provenanceIndexes,
  programTraceIndexes,
];

export interface HomesDeps {
  readonly db: Db;
  readonly deletedUsers: DeletedUserStore;
  /** Returns the user whose limits apply to the given user: a subuser's owner, otherwise the user itself. */
  readonly ownerOf: (userId: string) => Promise<string>;
  /** Empty if users are to have no directories. */
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
  /** Returns the total size of a user's uploads. */
  readonly measureUploads: (userId: string) => Promise<HomeSize>;
  readonly log: ServiceKit['log'];
  readonly now: () => Date;
}

export interface Homes {
  /** Undefined if users have no directories: DAYCARE_USERS_DIR is not set, or this system cannot enter them safely. */
  readonly homes: UserHomes | undefined;
  /** Undefined if users have no directories. */
  readonly searchFiles: SearchFiles | undefined;
  /** Uploads share the directories' quota; they are counted even if users have no directories. */
  readonly uploadQuota: UploadQuota;
  readonly userDataStores: readonly UserDataStore[];
}

/** Builds what manages users' directories, and the quota that uploads share with them. */
export async function buildHomes({
  db,
  deletedUsers,
  ownerOf,
  usersDir,
  homeQuotaBytes,
  measureUploads,
  log,
  now,
}: HomesDeps): Promise<Homes> {
  const homeUsage = new HomeStore(db);
  const provenanceRows = new ProvenanceStore(db);
  const programTraces = new ProgramTraceStore(db);
  const homes = await openHomes(
    { usersDir, homeQuotaBytes },
    { homeUsage, provenanceRows, programTraces, deletedUsers, ownerOf, measureUploads, now },
    { log },
  );
  return {
    homes,
    uploadQuota: makeUploadQuota({
      homeUsage,
      limits: { bytes: homeQuotaBytes, entries: maxEntries },
      ownerOf,
      measure: async (userId, kind) =>
        kind === 'uploads' ? measureUploads(userId) : homes?.measure(userId),
      now,
    }),
    searchFiles: homes && makeSearchFiles({ homes }),
    userDataStores: [homeUsage, provenanceRows, programTraces, ...(homes ? [homes] : [])],
  };
}
