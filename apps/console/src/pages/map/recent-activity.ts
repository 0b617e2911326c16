import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { daycare } from '../../data/client';
import { runLive } from '../../data/live';
import { startPause } from '../../data/timing/pause';

const everyMs = 3_000;
const litMs = 2_500;

/** The agents of mine whose history has grown in the last seconds. One call at a time, whatever the number of agents. */
export function useRecentActivity(): ReadonlySignal<ReadonlySet<string>> {
  const lit = useMemo(() => signal<ReadonlySet<string>>(new Set()), []);
  useEffect(() => {
    let known: ReadonlyMap<string, number> | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = runLive('activity', async ({ signal: end, received }) => {
      while (!end.aborted) {
        const current = await readSequences(end);
        received();
        lit.value = grown(known, current);
        known = current;
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

async function readSequences(end: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const request = { pageSize: 1_000, pageToken: '', subuserId: '', kinds: [], includeDead: false };
  const { agents } = await daycare.rpc.agentRuntime.listAgents(request, { signal: end });
  return new Map(agents.map(({ id, lastSequence }) => [id, lastSequence]));
}

function grown(
  known: ReadonlyMap<string, number> | undefined,
  current: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const ids = [...current].filter(([id, last]) => known && last > (known.get(id) ?? 0));
  return new Set(ids.map(([id]) => id));
}
