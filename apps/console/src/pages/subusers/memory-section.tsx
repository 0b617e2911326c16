import { useState } from 'preact/hooks';
import { useResource } from '../../data/resource';
import { callTool } from '../../data/tools';
import { Button } from '../../ui/button';
import { Section } from '../../ui/layout';
import { Markdown } from '../../ui/markdown/markdown';
import { Loaded } from '../../ui/states';

interface NodeRef {
  readonly nodeId: string;
  readonly title: string;
}

/** A memory node as returned by `memory_read`. */
interface MemoryNode extends NodeRef {
  readonly text?: string;
  readonly description?: string;
  readonly nextOffset?: number;
  readonly parents?: readonly NodeRef[];
  readonly children?: readonly NodeRef[];
  readonly links?: readonly NodeRef[];
  readonly backlinks?: readonly NodeRef[];
  readonly leftOut?: Readonly<Record<string, number>>;
}

const rootId = 'root';
const relations = [
  { name: 'parents', title: 'Above' },
  { name: 'children', title: 'Below' },
  { name: 'links', title: 'Links to' },
  { name: 'backlinks', title: 'Linked from' },
] as const;

/** Shows the subuser's memory, one node at a time. */
export function MemorySection({ agentId }: { readonly agentId: string }) {
  const [nodeId, setNodeId] = useState(rootId);
  const node = useResource(
    (signal) => callTool<MemoryNode>(agentId, 'memory_read', { nodeId }, { signal }),
    [agentId, nodeId],
  );
  return (
    <Section
      title="Memory"
      actions={nodeId !== rootId && <Button onClick={() => setNodeId(rootId)}>Top</Button>}
    >
      <Loaded resource={node} lines={2}>
        {(loaded) => <Node node={loaded} onOpen={setNodeId} isRoot={nodeId === rootId} />}
      </Loaded>
    </Section>
  );
}

interface NodeProps {
  readonly node: MemoryNode;
  readonly isRoot: boolean;
  readonly onOpen: (nodeId: string) => void;
}

function Node({ node, isRoot, onOpen }: NodeProps) {
  const isEmpty = isRoot && (node.children ?? []).length === 0;
  return (
    <div class="panel form">
      {isEmpty && <p class="muted">Nothing is stored yet.</p>}
      {!isRoot && <h3>{node.title}</h3>}
      {node.description && <p class="muted">{node.description}</p>}
      {node.text && <Markdown text={node.text} />}
      {node.nextOffset !== undefined && (
        <p class="muted small">
          Only the beginning is shown; run “daycare memory read” for the rest.
        </p>
      )}
      {relations.map(({ name, title }) => (
        <Neighbours
          key={name}
          title={isRoot && name === 'children' ? '' : title}
          nodes={node[name] ?? []}
          leftOut={node.leftOut?.[name] ?? 0}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

interface NeighboursProps {
  readonly title: string;
  readonly nodes: readonly NodeRef[];
  readonly leftOut: number;
  readonly onOpen: (nodeId: string) => void;
}

function Neighbours({ title, nodes, leftOut, onOpen }: NeighboursProps) {
  if (nodes.length === 0) return null;
  return (
    <div>
      {title !== '' && <p class="muted small">{title}</p>}
      <ul class="chips">
        {nodes.map(({ nodeId, title: text }) => (
          <li key={nodeId}>
            <Button kind="quiet" onClick={() => onOpen(nodeId)}>
              {text}
            </Button>
          </li>
        ))}
        {leftOut > 0 && <li class="muted small">and {leftOut} more</li>}
      </ul>
    </div>
  );
}
