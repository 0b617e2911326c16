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
          "cannot find the owner of a subuser to send a change hint; the owner's watchers will see the change at their next poll",
        ),
    }),
  };
}
