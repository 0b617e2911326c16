import type { MongoKey } from './mongo-key';

export interface MongodPlan {
  readonly dbPath: string;
  readonly port: number;
  readonly key: MongoKey;
  readonly replicaSet: string;
  /** The role of the mongod in a sharded cluster. */
  readonly role?: 'shard' | 'config';
}

/** Returns the arguments that make every mongod and mongos accept only its own users, and only from this machine. */
function commonArguments({ port, key }: Pick<MongodPlan, 'port' | 'key'>): string[] {
  const parameters = [
    // Otherwise the first client to connect to a new server could create its first user.
    'enableLocalhostAuthBypass=false',
    // Few iterations are enough: more would only slow down guessing, which is hopeless anyway with passwords of 256
    // random bits.
    'scramSHA256IterationCount=5000',
    // Diagnostic files are useless on a developer's machine and cost disk space.
    'diagnosticDataCollectionEnabled=false',
  ];
  return [
    ...['--port', String(port), '--bind_ip', '127.0.0.1', '--keyFile', key.file],
    ...['--nounixsocket', '--quiet'],
    ...toFlags(parameters),
  ];
}

export function mongodArguments(plan: MongodPlan): string[] {
  const parameters = [
    // When stopping, a member otherwise waits for another one to take over; most replica sets here have only one.
    'shutdownTimeoutMillisForSignaledShutdown=0',
    // A killed client leaves its transaction open, and the documents in it locked, for up to this long.
    'transactionLifetimeLimitSeconds=3',
  ];
  return [
    ...commonArguments(plan),
    ...(plan.role ? [{ shard: '--shardsvr', config: '--configsvr' }[plan.role]] : []),
    ...['--dbpath', plan.dbPath, '--replSet', plan.replicaSet],
    // Under load, a smaller cache would evict what was just written; when idle, a cache uses only the memory that its
    // content needs.
    ...['--oplogSize', '256', '--wiredTigerCacheSizeGB', '1'],
    // Durable writes make MongoDB sync the journal; other writes need not be synced ten times a second.
    ...['--journalCommitInterval', '500'],
    // One eviction thread is enough when idle; more are started on demand.
    ...['--wiredTigerEngineConfigString', 'eviction=(threads_min=1,threads_max=4)'],
    ...toFlags(parameters),
  ];
}

export function mongosArguments(
  plan: Pick<MongodPlan, 'port' | 'key'> & { readonly configServer: string },
): string[] {
  return [
    ...commonArguments(plan),
    ...['--configdb', plan.configServer],
    // There is no reason to wait when stopping: services have stopped by then.
    ...toFlags(['mongosShutdownTimeoutMillisForSignaledShutdown=0']),
  ];
}

function toFlags(parameters: readonly string[]): string[] {
  return parameters.flatMap((parameter) => ['--setParameter', parameter]);
}
