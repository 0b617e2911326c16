import type { Topology } from '@daycare/contracts/topology';
import { loadTopology } from '../client/load-topology';
import { resume } from '../client/resume';
import type { Session } from '../client/session';
import { safeText } from '../output/safe-text';
import { renderTopologyTree } from '../output/topology-tree';
import type { View } from '../output/view';
import { tellOfCut } from '../terminal/tell-of-cut';
import { defineCommand } from './command';
import { parseCount, type Limited } from './options';

interface TopologyOptions extends Limited {
  readonly tree?: boolean;
  readonly watch?: boolean;
  readonly dead?: boolean;
}

export const topologyCommand = defineCommand<TopologyOptions>({
  name: 'topology',
  description: 'all you have and whom you can reach: agents, wiring, subusers, friends',
  options: [
    ['--tree', 'draw it as a tree'],
    ['--watch', 'show it again whenever something changes; goes on after a cut'],
    ['--limit <count>', 'with --watch, end after so many', { parse: parseCount }],
    ['--dead', 'dead agents too'],
  ],
  examples: ['topology', 'topology --tree', 'topology --watch -o json'],
  async run({ session, options: { tree = false, watch, dead = false, limit = Infinity } }) {
    const opened = await session();
    if (watch) return watchTopology(opened, { tree, dead, limit });
    const { topology, text } = await loadTopology(opened.topology, dead);
    return topologyView(topology, text, tree);
  },
});

async function* watchTopology(
  { topology: client }: Session,
  { tree, dead, limit }: { tree: boolean; dead: boolean; limit: number },
): AsyncGenerator<View> {
  let afterRevision = '';
  let seen = 0;
  const open = () => client.watchTopology({ afterRevision, pageSize: 1_000, includeDead: dead });
  // The first view comes at once, unless nobody is there.
  const mayResume = (): boolean => seen > 0;
  for await (const { topology, text } of resume(open, { mayResume, onCut: tellOfCut })) {
    afterRevision = topology?.revision ?? '';
    const view = topologyView(topology, text, tree);
    yield { data: view.data, render: (style) => `${view.render(style)}\n` };
    seen += 1;
    if (seen >= limit) return;
  }
}

function topologyView(topology: Topology | undefined, text: string, tree: boolean): View {
  return {
    data: topology,
    render: (style) => (tree && topology ? renderTopologyTree(topology, style) : safeText(text)),
  };
}
