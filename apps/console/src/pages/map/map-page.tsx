import { useMemo } from 'preact/hooks';
import { agentName } from '../../data/agent-names';
import { usePaints } from '../../data/timing/paints';
import { topology } from '../../data/topology';
import { PageHead } from '../../ui/layout';
import { EmptyState, Skeleton } from '../../ui/states';
import { graphOf } from './graph-of';
import { GraphView } from './graph-view';
import { MapTree } from './map-tree';
import { useRecentActivity } from './recent-activity';

/** The person, their agents, subusers, friends and shares in one picture. */
export function MapPage() {
  const view = topology.value;
  const graph = useMemo(() => view && graphOf(view, agentName), [view]);
  // Draws the frame first, then the picture, then the lists below.
  const paints = usePaints(2);
  const hasTree = paints >= 2;
  const tree = useMemo(() => graph && hasTree && <MapTree graph={graph} />, [graph, hasTree]);
  const litLines = useRecentActivity();
  return (
    <>
      <PageHead
        title="Map"
        about="Everything you own or can reach. A line lights up when a message travels along it."
      />
      {!graph ? (
        <Skeleton />
      ) : graph.nodes.length === 1 ? (
        <EmptyState title="Only you so far">
          <p>
            <a href="/agents">Write to your agent</a>, <a href="/friends">add a friend</a> or{' '}
            <a href="/subusers">create a subuser</a>; they all appear here.
          </p>
        </EmptyState>
      ) : (
        <div class="map">
          {paints === 0 ? (
            <div class="map-picture" aria-hidden="true" />
          ) : (
            <GraphView graph={graph} litLines={litLines.value} />
          )}
          <Legend />
          {tree}
        </div>
      )}
    </>
  );
}

const kinds = [
  { kind: 'agent', text: 'Agent' },
  { kind: 'subuser', text: 'Subuser' },
  { kind: 'friend', text: 'Friend' },
  { kind: 'shared', text: 'Shared with you' },
];

function Legend() {
  return (
    <ul class="map-legend small muted" aria-hidden="true">
      {kinds.map(({ kind, text }) => (
        <li key={kind}>
          <span class={`map-dot map-dot-${kind}`} /> {text}
        </li>
      ))}
    </ul>
  );
}
