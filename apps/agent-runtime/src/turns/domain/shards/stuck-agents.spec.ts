import { describe, expect, it } from '@jest/globals';
import { listStuck, sumUpShards } from './stuck-agents';

const at = (seconds: number): Date => new Date(seconds * 1000);
const items = [
  { agentId: 'a', shard: 1, oldestAt: at(10) },
  { agentId: 'b', shard: 0, oldestAt: at(20) },
  { agentId: 'c', shard: 1, oldestAt: at(30) },
];
const shards = [
  { shard: 0, replicaId: 'one' },
  { shard: 1, replicaId: undefined },
  { shard: 2, replicaId: 'one' },
];

describe('sumUpShards', () => {
  it('counts each shard’s waiting agents and finds the shard’s oldest item', () => {
    expect(sumUpShards(shards, items)).toEqual([
      { shard: 0, replicaId: 'one', waitingAgents: 1, oldestAt: at(20) },
      { shard: 1, replicaId: undefined, waitingAgents: 2, oldestAt: at(10) },
      { shard: 2, replicaId: 'one', waitingAgents: 0, oldestAt: undefined },
    ]);
  });
});

describe('listStuck', () => {
  const agents = [
    { id: 'b', userId: 'u', waiting: { for: 'the model', until: at(100) } },
    { id: 'a', userId: 'v', waiting: { for: 'the model', until: at(40) } },
  ];

  it('lists each stuck agent with its user, its replica and what it is waiting for, but no deleted agents', () => {
    expect(listStuck(items, shards, agents, at(50))).toEqual([
      { ...items[0], userId: 'v', replicaId: undefined, waitingFor: undefined },
      { ...items[1], userId: 'u', replicaId: 'one', waitingFor: 'the model' },
    ]);
  });
});
