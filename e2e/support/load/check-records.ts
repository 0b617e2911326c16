import { historyOf } from '../people/history';
import type { Stack } from '../stack/stack';
import { HistoryCheck, type HistoryFigures } from './history-check';
import type { AcceptedMessage, StormSenders } from './storm-senders';
import { waitingItems } from '../stack/inbox-filters';

/** The result of a check; everything is correct if `faults` is empty. */
export interface RecordCheck extends HistoryFigures {
  readonly agents: number;
  readonly faults: readonly string[];
}

const sampleSize = 5;

/**
 * Proves from the records alone that every accepted message was handled once, by the agent it was sent to and in the
 * order in which its sender sent it, and that no agent was ever in two turns at the same time.
 */
export async function checkRecords(stack: Stack, senders: StormSenders): Promise<RecordCheck> {
  const db = stack.db('agent-runtime');
  const check = new HistoryCheck(senders.accepted);
  const userId = { $in: senders.people.map(({ id }) => id) };
  const rows = await db.collection<AgentRow>('agents').find({ userId }).toArray();
  for (const { _id: agentId, shard } of rows) {
    const entries = db.collection<HistoryRow>('history').find({ agentId }).sort({ number: 1 });
    check.begin(agentId, shard);
    for await (const entry of entries) check.take(entry);
  }
  check.end();
  return {
    ...check.figures,
    agents: rows.length,
    faults: [
      ...check.faults,
      ...findChannelFaults(senders.accepted, rows.length),
      ...(await findLeftovers(stack, userId)),
      ...(await findListHistoryFaults(stack, senders, rows, check)),
    ],
  };
}

interface AgentRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
}

type HistoryRow = Parameters<HistoryCheck['take']>[0];

/** Reports a fault unless each channel has exactly one agent, however many replicas were called concurrently. */
function findChannelFaults(accepted: readonly AcceptedMessage[], agentCount: number): string[] {
  const pairs = new Set(accepted.map(({ channel, agentId }) => `${channel} ${agentId}`));
  const channels = new Set(accepted.map(({ channel }) => channel));
  const counts = [channels.size, pairs.size, agentCount];
  if (new Set(counts).size === 1) return [];
  return [
    `not one agent per channel: ${channels.size} channels, ${pairs.size} pairs of channel and agent, ${agentCount} agents`,
  ];
}

async function findLeftovers(stack: Stack, userId: object): Promise<string[]> {
  const db = stack.db('agent-runtime');
  const [waiting, dead] = await Promise.all([
    db.collection('inbox').countDocuments({ userId, ...waitingItems }),
    db.collection('dead_letters').countDocuments({ userId }),
  ]);
  return waiting + dead === 0
    ? []
    : [`${waiting} items are still waiting, ${dead} are dead letters`];
}

/** For a sample of the agents, reports where ListHistory differs from the database. */
async function findListHistoryFaults(
  { runtimes }: Stack,
  { people }: StormSenders,
  rows: readonly AgentRow[],
  check: HistoryCheck,
): Promise<string[]> {
  const faults: string[] = [];
  const step = Math.max(1, Math.floor(rows.length / sampleSize));
  for (const [index, { _id: agentId, userId }] of rows.entries()) {
    if (index % step !== 0) continue;
    const person = people.find(({ id }) => id === userId)!;
    const records = await historyOf(runtimes[index % runtimes.length]!, person, agentId);
    const listed = records.flatMap(({ record }) =>
      record?.$case === 'userMessage' ? record.value.messageIds : [],
    );
    const hasGaps = records.some(({ sequence }, at) => sequence !== at + 1);
    if (hasGaps) faults.push(`ListHistory of ${agentId} has gaps`);
    if (listed.join() !== check.receivedBy(agentId).join())
      faults.push(`ListHistory of ${agentId} lists different messages from those in the database`);
  }
  return faults;
}
