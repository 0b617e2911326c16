import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  adminAuthorization,
  withNatsUser,
  type Credentials,
  type NatsPasswords,
  type RunningServer,
  type RunningService,
  type AppName,
} from '@daycare/local-stack';
import type { Restartable } from './restartable';

export type TestServer = Restartable<RunningServer>;
export type TestService = Restartable<RunningService>;

/** Services under test, on ports, databases and streams that nothing else uses. */
export interface TestStack {
  readonly mongoUrl: string;
  /** Where NATS accepts connections; each service has its own NATS user. */
  readonly natsUrl: string;
  /** The passwords of these NATS users; undefined for a NATS server that was already running. */
  readonly natsPasswords: NatsPasswords | undefined;
  /** Returns the URL with which a service connects to NATS. */
  readonly natsUrlOf: (name: AppName) => string;
  readonly natsPrefix: string;
  readonly credentials: Credentials;
  /** The metadata for the admin's calls to identity. */
  readonly adminMetadata: { readonly authorization: string };
  /** The servers, only with `ownServers`. */
  readonly mongo: TestServer | undefined;
  readonly nats: TestServer | undefined;
  /** MongoDB's members, only with `mongoMembers`. */
  readonly mongoMembers: readonly TestServer[];
  readonly databaseOf: (name: AppName) => string;
  /** How many processes of a service there are; 0 if the service is not part of the stack. */
  readonly replicasOf: (name: AppName) => number;
  /** One process of a service, by default the first. */
  readonly service: (name: AppName, replica?: number) => TestService;
  /** The address at which one process of a service, by default the first, accepts gRPC calls; a restart keeps it. */
  readonly addressOf: (name: AppName, replica?: number) => string;
  /** Contains the logs and the users' own directories. */
  readonly folder: string;
  readonly usersDir: string;
  /** Reads everything that each process has logged so far, by the name of its log file. */
  readonly readLogs: () => Promise<ReadonlyMap<string, string>>;
  readonly stop: () => Promise<void>;
}

type StackParts = Pick<
  TestStack,
  | 'mongoUrl'
  | 'natsUrl'
  | 'natsPasswords'
  | 'natsPrefix'
  | 'credentials'
  | 'mongo'
  | 'nats'
  | 'folder'
  | 'stop'
> &
  Partial<Pick<TestStack, 'mongoMembers'>> & {
    readonly services: ReadonlyMap<AppName, readonly TestService[]>;
  };

/** Derives the rest of a stack from its running parts. */
export function assembleStack({ services, mongoMembers = [], ...parts }: StackParts): TestStack {
  const service = (name: AppName, replica = 0): TestService => {
    const process = services.get(name)?.[replica];
    if (process) return process;
    throw new Error(`${name} ${replica} is not part of this test stack`);
  };
  return {
    ...parts,
    mongoMembers,
    service,
    adminMetadata: { authorization: adminAuthorization(parts.credentials) },
    natsUrlOf: (name) => withNatsUser(parts.natsUrl, name, parts.natsPasswords),
    databaseOf: makeDatabaseOf(parts.natsPrefix),
    replicasOf: (name) => services.get(name)?.length ?? 0,
    addressOf: (name, replica) => service(name, replica).current.grpcAddress,
    usersDir: usersDirIn(parts.folder),
    readLogs: () => readLogsIn(parts.folder),
  };
}

export function makeDatabaseOf(natsPrefix: string) {
  return (name: AppName): string => `${natsPrefix}-${name}`;
}

export function usersDirIn(folder: string): string {
  return join(folder, 'users');
}

async function readLogsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}
