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
/** Limits on what is read at once; more could not be distinguished on the map. */
const maxGateways = 10;
const maxGrown = 10;
const maxRecords = 20;

type Sequences = ReadonlyMap<string, number>;
type Lit = ReadonlySet<string>;

/** The lines that messages have travelled along in the last seconds, derived from histories that have grown. */
export function useRecentActivity(): ReadonlySignal<Lit> {
  const lit = useMemo(() => signal<Lit>(new Set()), []);
  useEffect(() => {
    let known: Sequences | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = runLive('activity', async ({ signal: end, onReceived }) => {
      while (!end.aborted) {
        const agents = await readAgents(end);
        lit.value = await readLines(agents, known, end);
        onReceived();
        known = new Map(agents.map(({ id, lastSequence }) => [id, lastSequence]));
        clearTimeout(timer);
        timer = setTimeout(() => (lit.value = new Set()), litMs);
        await startPause(everyMs, end).ended;
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return lit;
}

/**
 * My agents, and the gateways of my subusers that are active: a message wakes a gateway, so the others have not
 * received any recently.
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
  known: Sequences | undefined,
  signal: AbortSignal,
): Promise<Lit> {
  const view = topology.peek();
  if (!view || !known) return new Set();
  const lines = linesOf(view);
  // For an agent that was asleep until now, only the last record is certain to be new.
  const before = ({ id, lastSequence }: Agent): number => known.get(id) ?? lastSequence - 1;
  const grown = agents.filter((agent) => agent.lastSequence > before(agent)).slice(0, maxGrown);
  const passed = await Promise.all(
    grown.map(async (agent) => {
      const page = { pageSize: maxRecords, pageToken: '', newestFirst: false };
      const request = { ...page, agentId: agent.id, afterSequence: before(agent) };
      const { records } = await daycare.rpc.agentRuntime.listHistory(request, { signal });
      return records.flatMap((record) => travelledLines(record, agent, lines));
    }),
  );
  return new Set(passed.flat());
}
