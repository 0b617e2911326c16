import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '@daycare/api';
import {
  bundlePath,
  findWorkspaceRoot,
  serviceNames,
  shardDatabases,
  type ShardingStep,
} from '@daycare/local-stack';
import { readConfig } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { renderTable, type Column } from '../../output/table';
import { defineCommand } from '../kit/command';

interface ShardOptions {
  readonly dataDir?: string;
}

const columns: readonly Column<ShardingStep>[] = [
  ['COLLECTION', ({ database, collection }) => `${database}.${collection}`],
  ['SHARD KEY', ({ shardKey }) => (shardKey === 'unsharded' ? '' : JSON.stringify(shardKey))],
  ['OUTCOME', ({ outcome }) => outcome],
];

export const shardCommand = defineCommand<ShardOptions>({
  name: 'shard',
  description:
    'shard the collections for which the services declare a shard key (requires a sharded MongoDB cluster); safe to repeat. ' +
    'For a cluster that does not belong to a local stack, set DAYCARE_MONGO_URL to the URL of a mongos, with the credentials of a database administrator',
  options: [
    [
      '--data-dir <folder>',
      'use the MongoDB of the local stack in this data folder (default: .daycare-cluster, unless DAYCARE_MONGO_URL is set)',
    ],
  ],
  examples: ['admin shard', 'admin shard --data-dir .daycare-cluster'],
  async run({ options }) {
    const workspaceRoot = findWorkspaceRoot(__dirname);
    const databases = serviceNames.map((service) => ({
      service,
      database: service,
      bundle: bundlePath(workspaceRoot, service),
    }));
    const steps = await shardDatabases(findUrl(options), databases).catch(throwReadable);
    return {
      data: { collections: steps },
      render: (style) => renderTable(steps, columns, '', style),
    };
  },
});

function findUrl({ dataDir }: ShardOptions): string {
  const { DAYCARE_MONGO_URL: url } = readConfig().env;
  if (dataDir === undefined && url) return url;
  const file = join(resolve(dataDir ?? '.daycare-cluster'), 'mongo', 'url');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Failure(
      exitCodes.usage,
      `No MongoDB to shard was found: cannot read ${file}. Set DAYCARE_MONGO_URL, or pass another --data-dir.`,
    );
  }
}

function throwReadable(error: unknown): never {
  if (error instanceof AppError) throw new Failure(exitCodes.failure, error.message);
  throw error;
}
