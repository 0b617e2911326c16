import type { AgentStack } from './agent-stack';
import { historyOf } from './agent-stack';
import { HistoryWalk, type WalkFigures } from './history-walk';
import type { Accepted, StormTalk } from './storm-talk';

/** What the records say. No faults: everything was as it has to be. */
export interface Proof extends WalkFigures {
  readonly agents: number;
  readonly faults: readonly string[];
}

const sampleSize = 5;

/**
 * Proves from the records alone that every accepted message was handled once, by the agent it was sent
 * to and in the order of its sender, and that no agent was ever in two turns at once.
 */
export async function proveStorm(agents: AgentStack, talk: StormTalk): Promise<Proof> {
  const { db } = agents;
  const walk = new HistoryWalk(talk.accepted);
  const userId = { $in: talk.people.map(({ id }) => id) };
  const rows = await db.collection<AgentRow>('agents').find({ userId }).toArray();
  for (const { _id: agentId, shard } of rows) {
    const entries = db.collection<HistoryRow>('history').find({ agentId }).sort({ number: 1 });
    walk.begin(agentId, shard);
    for await (const entry of entries) walk.take(entry);
  }
  walk.end();
  return {
    ...walk.figures,
    agents: rows.length,
    faults: [
      ...walk.faults,
      ...sharedChannels(talk.accepted, rows.length),
      ...(await leftBehind(agents, userId)),
      ...(await wrongAnswers(agents, talk, rows, walk)),
    ],
  };
}

interface AgentRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
}

type HistoryRow = Parameters<HistoryWalk['take']>[0];

/** A channel has one agent, however many replicas were asked for it at once. */
function sharedChannels(accepted: readonly Accepted[], agentCount: number): string[] {
  const pairs = new Set(accepted.map(({ channel, agentId }) => `${channel} ${agentId}`));
  const channels = new Set(accepted.map(({ channel }) => channel));
  const found = [channels.size, pairs.size, agentCount];
  if (new Set(found).size === 1) return [];
  return [`${channels.size} channels, ${pairs.size} channels with agents, ${agentCount} agents`];
}

async function leftBehind({ db }: AgentStack, userId: object): Promise<string[]> {
  const [waiting, dead] = await Promise.all([
    db.collection('inbox').countDocuments({ userId, waiting: true }),
    db.collection('dead_letters').countDocuments({ userId }),
  ]);
  return waiting + dead === 0 ? [] : [`${waiting} items still wait and ${dead} were given up`];
}

/** What the service itself tells about some of the agents must agree with the database. */
async function wrongAnswers(
  { runtimes }: AgentStack,
  { people }: StormTalk,
  rows: readonly AgentRow[],
  walk: HistoryWalk,
): Promise<string[]> {
  const faults: string[] = [];
  const step = Math.max(1, Math.floor(rows.length / sampleSize));
  for (const [index, { _id: agentId, userId }] of rows.entries()) {
    if (index % step !== 0) continue;
    const person = people.find(({ id }) => id === userId)!;
    const records = await historyOf(runtimes[index % runtimes.length]!, person, agentId);
    const told = records.flatMap(({ record }) =>
      record?.$case === 'userMessage' ? record.value.messageIds : [],
    );
    const hasGaps = records.some(({ sequence }, at) => sequence !== at + 1);
    if (hasGaps) faults.push(`ListHistory of ${agentId} has gaps`);
    if (told.join() !== walk.heardBy(agentId).join())
      faults.push(`ListHistory of ${agentId} tells of other messages than the database`);
  }
  return faults;
}
