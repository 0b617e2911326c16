import type { Replica, Shard, StuckAgent } from '@daycare/contracts/agent-runtime';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { RequestIds } from '../../client/rpc/request-ids';
import { renderTable, type Column } from '../../output/table';
import { textView, type Style } from '../../output/view';
import { toTime, toYesNo } from '../../output/words';
import { defineCommand } from '../kit/command';
import { parseCount } from '../kit/options';
import { asOperator, type OperatorOptions } from './operator';
import { ageOf } from './services';

interface ShardsOptions extends OperatorOptions {
  readonly stuckAfter: number;
}

const shardColumns: readonly Column<Shard>[] = [
  ['SHARD', ({ number }) => number],
  ['REPLICA', ({ replicaId }) => replicaId],
  ['FENCE', ({ fence }) => fence],
  ['WAITING', ({ waitingAgents }) => waitingAgents],
  ['OLDEST ITEM', ({ oldestItemAt }) => ageOf(oldestItemAt)],
];

const replicaColumns: readonly Column<Replica>[] = [
  ['REPLICA', ({ id }) => id],
  ['SHARDS', ({ shards }) => shards],
  ['LEASE UNTIL', ({ expiresAt }) => toTime(expiresAt)],
  ['LEAVING', ({ leaving }) => toYesNo(leaving)],
  ['DRAINED', ({ drained }) => toYesNo(drained)],
];

const stuckColumns: readonly Column<StuckAgent>[] = [
  ['STUCK AGENT', ({ agentId }) => agentId],
  ['USER', ({ userId }) => userId],
  ['SHARD', ({ shard }) => shard],
  ['REPLICA', ({ replicaId }) => replicaId],
  ['OLDEST ITEM', ({ oldestItemAt }) => ageOf(oldestItemAt)],
  ['WAITING FOR', ({ waitingFor }) => waitingFor],
];

export const shardsCommand = defineCommand<ShardsOptions>({
  name: 'shards',
  description: 'show which agent-runtime replica runs which shard, and which agents are stuck',
  options: [
    [
      '--stuck-after <seconds>',
      'treat an agent as stuck once the oldest item in its inbox has waited this long',
      { parse: parseCount, default: 60 },
    ],
    adminHeaderOption,
  ],
  examples: ['admin shards', 'admin shards --stuck-after 600 -o json'],
  async run({ options, ...invocation }) {
    const minAgeMs = options.stuckAfter * 1_000;
    const report = await asOperator(invocation, options, async ({ 'agent-runtime': runtime }) => {
      const [{ shards, replicas }, { agents }] = await Promise.all([
        runtime.listShards({}),
        runtime.listStuckAgents({ minAgeMs, pageSize: 0 }),
      ]);
      return { replicas, shards, stuckAgents: agents };
    });
    return { data: report, render: (style) => renderReport(report, style) };
  },
});

interface Report {
  readonly replicas: readonly Replica[];
  readonly shards: readonly Shard[];
  readonly stuckAgents: readonly StuckAgent[];
}

function renderReport({ replicas, shards, stuckAgents }: Report, style: Style): string {
  return [
    renderTable(replicas, replicaColumns, 'No replica is running.', style),
    renderTable(shards, shardColumns, 'There are no shards yet.', style),
    renderTable(stuckAgents, stuckColumns, 'No agent is stuck.', style),
  ].join('\n\n');
}

export const drainCommand = defineCommand<OperatorOptions & { readonly resume?: boolean }>({
  name: 'drain',
  description: 'make an agent-runtime replica hand over its shards and start no more turns',
  args: [['<replica>', 'id from "daycare admin shards"']],
  options: [['--resume', 'let the replica take shards again'], adminHeaderOption],
  examples: ['admin drain host-4711-0a1b2c3d', 'admin drain host-4711-0a1b2c3d --resume'],
  hints: { NOT_FOUND: 'Run "daycare admin shards" to see the replicas.' },
  async run({ args: [replicaId = ''], options, global, ...invocation }) {
    const { resume = false } = options;
    const requestId = new RequestIds(global.requestId).next();
    await asOperator(invocation, options, ({ 'agent-runtime': runtime }) =>
      runtime.drainReplica({ requestId, replicaId, resume }),
    );
    const outcome = resume ? 'is taking shards again' : 'is handing over its shards';
    return textView(`${replicaId} ${outcome}.`, { replicaId, drained: !resume });
  },
});
