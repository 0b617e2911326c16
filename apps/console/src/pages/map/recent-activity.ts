import { AgentLifecycle, type Agent } from '@daycare/contracts/agent-runtime';
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { daycare } from '../../data/client';
import { runLive } from '../../data/live';
import { startPause } from '../../data/timing/pause';
import { topology } from '../../data/topology';
import { linesOf, travelledLines } from './travelled-lines';

const everyMs = 3_000;
const litMs = 2_500;
/** Limits on what is read in one round; more could not be told apart on the map. */
const maxGateways = 10;
const maxHistories = 10;
const maxRecords = 20;

type Sequences = ReadonlyMap<string, number>;
type LineSet = ReadonlySet<string>;

/**
 * Returns the lines that messages have travelled along in the last few seconds, derived from new records in histories.
 */
export function useRecentActivity(): ReadonlySignal<LineSet> {
  const litLines = useMemo(() => signal<LineSet>(new Set()), []);
  useEffect(() => {
    let knownSequences: Sequences | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = runLive('activity', async ({ signal: end, onReceived }) => {
      while (!end.aborted) {
        const agents = await readAgents(end);
        litLines.value = await readLines(agents, knownSequences, end);
        onReceived();
        knownSequences = new Map(agents.map(({ id, lastSequence }) => [id, lastSequence]));
        clearTimeout(timer);
        timer = setTimeout(() => (litLines.value = new Set()), litMs);
        await startPause(everyMs, end).ended;
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return litLines;
}

/**
 * Reads my agents and my subusers' active gateways. A message wakes a gateway, so inactive ones have not received any
 * recently.
 */
async function readAgents(signal: AbortSignal): Promise<readonly Agent[]> {
  const { agentRuntime } = daycare.rpc;
  const request = { pageSize: 1_000, pageToken: '', subuserId: '', kinds: [], includeDead: false };
  const active = (topology.peek()?.subusers?.subusers ?? [])
    .filter(({ gatewayLifecycle }) => gatewayLifecycle === AgentLifecycle.ACTIVE)
    .filter(({ gatewayAgentId }) => gatewayAgentId !== '')
    .slice(0, maxGateways);
  const [{ agents }, ...gateways] = await Promise.all([
    agentRuntime.listAgents(request, { signal }),
    ...active.map(({ gatewayAgentId: value }) =>
      agentRuntime.getAgent({ selector: { $case: 'agentId', value } }, { signal }),
    ),
  ]);
  return [...agents, ...gateways.flatMap(({ agent }) => agent ?? [])];
}

async function readLines(
  agents: readonly Agent[],
  knownSequences: Sequences | undefined,
  signal: AbortSignal,
): Promise<LineSet> {
  const view = topology.peek();
  if (!view || !knownSequences) return new Set();
  const lines = linesOf(view);
  // For an agent that was not read in the previous round, only the last record is assumed to be new.
  const sequenceBefore = ({ id, lastSequence }: Agent): number =>
    knownSequences.get(id) ?? lastSequence - 1;
  const agentsWithNewRecords = agents
    .filter((agent) => agent.lastSequence > sequenceBefore(agent))
    .slice(0, maxHistories);
  const travelled = await Promise.all(
    agentsWithNewRecords.map(async (agent) => {
      const page = { pageSize: maxRecords, pageToken: '', newestFirst: false };
      const request = { ...page, agentId: agent.id, afterSequence: sequenceBefore(agent) };
      const { records } = await daycare.rpc.agentRuntime.listHistory(request, { signal });
      return records.flatMap((record) => travelledLines(record, agent, lines));
    }),
  );
  return new Set(travelled.flat());
}
