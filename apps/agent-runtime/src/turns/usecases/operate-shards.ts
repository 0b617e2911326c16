import { FieldChecks, notFound } from '@daycare/api';
import type { AgentReader } from '../../agents';
import type { InboxReader } from '../../messaging';
import type { ShardStore, SurveyedReplica, SurveyedShard } from '../store/shard-store';
import {
  listStuck,
  sumUpShards,
  type ShardLoad,
  type StuckAgent,
} from '../domain/shards/stuck-agents';

export interface OperateShardsDeps {
  readonly shards: Pick<ShardStore, 'survey' | 'setDrained'>;
  readonly inbox: Pick<InboxReader, 'oldestItems'>;
  readonly agents: Pick<AgentReader, 'findMany'>;
  readonly now: () => Date;
}

export interface DrainCommand {
  readonly requestId: string;
  readonly replicaId: string;
  readonly resume: boolean;
}

export interface StuckQuery {
  readonly minAgeMs: number;
  readonly pageSize: number;
}

const defaultMinAgeMs = 60_000;
const maxReplicaId = 300;

/** What operators can do with shards and replicas. */
export function makeOperateShards({ shards, inbox, agents, now }: OperateShardsDeps) {
  return {
    async listShards(): Promise<{
      readonly shards: readonly (SurveyedShard & ShardLoad)[];
      readonly replicas: readonly SurveyedReplica[];
    }> {
      const [survey, items] = await Promise.all([shards.survey(), inbox.oldestItems()]);
      return { shards: sumUpShards(survey.shards, items), replicas: survey.replicas };
    },

    async listStuckAgents({ minAgeMs, pageSize }: StuckQuery): Promise<StuckAgent[]> {
      const checks = new FieldChecks();
      const limit = checks.pageSize(pageSize);
      checks.require(minAgeMs >= 0, 'min_age_ms', 'must not be negative').done();
      const [survey, items] = await Promise.all([shards.survey(), inbox.oldestItems()]);
      const before = new Date(now().getTime() - (minAgeMs || defaultMinAgeMs));
      const oldItems = items.filter(({ oldestAt }) => oldestAt <= before).slice(0, limit);
      const waitingAgents = await agents.findMany(oldItems.map(({ agentId }) => agentId));
      return listStuck(oldItems, survey.shards, waitingAgents, now());
    },

    async drainReplica({ requestId, replicaId, resume }: DrainCommand): Promise<void> {
      new FieldChecks()
        .requestId(requestId)
        .line(replicaId, 'replica_id', { min: 1, max: maxReplicaId })
        .done();
      if (!(await shards.setDrained(replicaId, !resume))) throw notFound('replica');
    },
  };
}

export type OperateShards = ReturnType<typeof makeOperateShards>;
