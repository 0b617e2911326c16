import { resume } from '@daycare/client';
import { TopologyFormat, type Topology } from '@daycare/contracts/topology';
import { loadTopology, loadTopologyText } from '../../client/load-topology';
import type { Session } from '../../client/session';
import { friendName, loadFriends } from '../../names/friends';
import { safeText } from '../../output/safe-text';
import { renderTopologyTree, topologyBranch, type FriendNameOf } from '../../output/topology-tree';
import { treeChanges } from '../../output/tree-changes';
import { isForPeople } from '../../output/printer';
import { textView, type View } from '../../output/view';
import { noColours } from '../../terminal/colours';
import { notifyDisconnected } from '../../terminal/notify-disconnected';
import { defineCommand } from '../kit/command';
import { parseCount, type Limited } from '../kit/options';

interface TopologyOptions extends Limited {
  readonly tree?: boolean;
  readonly watch?: boolean;
  readonly dead?: boolean;
}

export const topologyCommand = defineCommand<TopologyOptions>({
  name: 'topology',
  description: 'show everything you own and everyone you can reach',
  options: [
    ['--tree', 'show the topology as a tree'],
    ['--watch', 'show the tree, then a line for each change; reconnects if the connection is lost'],
    [
      '--limit <count>',
      'with --watch, stop after this many updates; the tree counts as the first',
      { parse: parseCount },
    ],
    ['--dead', 'include dead agents'],
  ],
  examples: ['topology', 'topology --tree', 'topology --watch -o json'],
  async run({ session, global, options: { tree, watch, dead = false, limit = Infinity } }) {
    const opened = await session();
    const isText = isForPeople(global.output) && !tree;
    if (watch) return watchTopology(opened, { dead, limit });
    if (isText) return textView(safeText(await loadTopologyText(opened.topology, dead)), undefined);
    const [topology, friendNameOf] = await Promise.all([
      loadTopology(opened.topology, dead),
      isForPeople(global.output) ? loadFriendNames(opened) : undefined,
    ]);
    return treeView(topology, friendNameOf);
  },
});

/** Yields the whole tree, then a line for each change. */
async function* watchTopology(
  { topology: client }: Session,
  { dead, limit }: { dead: boolean; limit: number },
): AsyncGenerator<View> {
  let before: Topology | undefined;
  let seen = 0;
  const request = { pageSize: 1_000, includeDead: dead, format: TopologyFormat.STRUCTURE };
  const open = () => client.watchTopology({ ...request, afterRevision: before?.revision ?? '' });
  // A stream that fails before its first view means that the service is down, so the command fails instead of retrying.
  const mayResume = (): boolean => seen > 0;
  for await (const { topology } of resume(open, {
    mayResume,
    onDisconnect: notifyDisconnected,
  })) {
    if (!topology) continue;
    yield before ? changesView(before, topology) : treeView(topology);
    before = topology;
    seen += 1;
    if (seen >= limit) return;
  }
}

function changesView(before: Topology, after: Topology): View {
  const at = new Date().toLocaleTimeString('en-GB');
  const branchOf = (topology: Topology) => topologyBranch(topology, { colours: noColours });
  return {
    data: after,
    render: ({ colours }) =>
      treeChanges(branchOf(before), branchOf(after))
        .map(({ sign, text }) => {
          const paint = sign === '+' ? colours.green : colours.red;
          return `${colours.dim(at)} ${paint(`${sign} ${text}`)}`;
        })
        .join('\n'),
  };
}

function treeView(topology: Topology | undefined, friendNameOf?: FriendNameOf): View {
  return {
    data: topology,
    render: (style) => (topology ? renderTopologyTree(topology, style, friendNameOf) : ''),
  };
}

/**
 * Loads the names of friends. If they cannot be read, e.g. because the token does not permit it, the tree is
 * shown without them.
 */
async function loadFriendNames(session: Session): Promise<FriendNameOf> {
  const friends = await loadFriends(session).then(
    (list) => list.friends,
    () => [],
  );
  const names = new Map(friends.map((friend) => [friend.nametag, friendName(friend)]));
  return (nametag) => names.get(nametag) ?? '';
}
