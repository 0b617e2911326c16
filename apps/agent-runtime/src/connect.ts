import { ChangeHints, OutboxStore } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import {
  connectPeers,
  DeletedUserStore,
  openMongo,
  openNats,
  startOutbox,
  systemStreamOf,
  type ServiceKit,
} from '@daycare/service-kit';
import type { Config } from './config';
import { makeHintChanges } from './hint-changes';
import { LiveFeed } from './messaging';

export interface ConnectDeps {
  readonly config: Config;
  /** Every index in the service's database. */
  readonly indexes: readonly CollectionIndexes[];
  readonly kit: ServiceKit;
  readonly now: () => Date;
}

export type Connections = Awaited<ReturnType<typeof connect>>;

/** Connects to the other services, MongoDB and NATS, and creates what every feature needs from them. */
export async function connect(name: string, { config, indexes, kit, now }: ConnectDeps) {
  const { natsPrefix, sleepAfterMs } = config;
  const { authenticate, credential, identity, directory } = await connectPeers(name, config, kit);
  const { db } = await openMongo(config, name, indexes, kit);
  const { connection } = await openNats(config, name, kit);
  const outbox = new OutboxStore(db, name);
  startOutbox(config, { connection, outbox }, kit);
  return {
    authenticate,
    credential,
    identity,
    directory,
    db,
    connection,
    stream: systemStreamOf(config),
    outbox,
    deletedUsers: new DeletedUserStore(db),
    feed: new LiveFeed(connection, natsPrefix, kit.log),
    changes: makeHintChanges({
      hints: new ChangeHints(connection, natsPrefix),
      directory,
      sleepAfterMs,
      now,
      onFailure: (err) =>
        kit.log.warn(
          { err },
          "cannot look up a user's owner, so no change hint was sent to the owner; the owner, if there is one, will see the change at the next poll",
        ),
    }),
  };
}
