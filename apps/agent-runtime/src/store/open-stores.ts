import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import {
  goneUserIndexes,
  GoneUserStore,
  type MongoConfig,
  openMongo,
  type ServiceKit,
} from '@daycare/service-kit';
import { agentIndexes, AgentStore } from './agent-store';
import { contactIndexes, ContactStore } from './contact-store';
import { cronIndexes, CronStore } from './cron-store';
import { deadLetterIndexes, DeadLetterStore } from './dead-letter-store';
import { fileIndexes, FileStore } from './file-store';
import { heartbeatIndexes, HeartbeatStore } from './heartbeat-store';
import { historyIndexes, HistoryStore } from './history-store';
import { homeIndexes, HomeStore } from './home-store';
import { inboxIndexes, InboxStore } from './inbox-store';
import { mailboxIndexes, MailboxStore } from './mailbox-store';
import { OutlineStore } from './outline-store';
import { permissionIndexes, PermissionStore } from './permission-store';
import { sandboxRunIndexes, SandboxRunStore } from './sandbox-run-store';
import { replicaIndexes, shardIndexes, ShardStore } from './shard-store';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Every index of the service's database. */
export const indexes = [
  agentIndexes,
  inboxIndexes,
  historyIndexes,
  mailboxIndexes,
  contactIndexes,
  deadLetterIndexes,
  goneUserIndexes,
  homeIndexes,
  permissionIndexes,
  sandboxRunIndexes,
  cronIndexes,
  shardIndexes,
  replicaIndexes,
  ...heartbeatIndexes,
  ...fileIndexes,
  ...outboxIndexes,
];

/** Everything that the service keeps. */
export async function openStores(config: MongoConfig, name: string, kit: Pick<ServiceKit, 'stop'>) {
  const { db } = await openMongo(config, name, indexes, kit);
  const ofUsers = {
    inbox: new InboxStore(db),
    history: new HistoryStore(db),
    mailbox: new MailboxStore(db),
    contacts: new ContactStore(db),
    deadLetters: new DeadLetterStore(db),
    files: new FileStore(db),
    permissions: new PermissionStore(db),
    sandboxRuns: new SandboxRunStore(db),
    homeUse: new HomeStore(db),
    crons: new CronStore(db),
    heartbeats: new HeartbeatStore(db),
  };
  return {
    db,
    ...ofUsers,
    agents: new AgentStore(db),
    outlines: new OutlineStore(db),
    goneUsers: new GoneUserStore(db),
    shards: new ShardStore(db),
    outbox: new OutboxStore(db, name),
    /** Those that keep anything of a user. */
    keepers: Object.values(ofUsers),
  };
}
