import type { GraphNode, NodeKind } from './graph-of';

export const radii: Readonly<Record<NodeKind, number>> = {
  me: 22,
  agent: 10,
  subuser: 15,
  friend: 15,
  shared: 12,
  more: 12,
};

const maxLabelLength = 18;

/** Returns the label of a circle on the map; long names are truncated. */
export function mapLabelOf({ label }: Pick<GraphNode, 'label'>): string {
  return label.length > maxLabelLength ? `${label.slice(0, maxLabelLength - 1)}…` : label;
}

/** The distance from the edge of the circle to the baseline of the label. */
export const labelOffset = 14;
/** A generous estimate of the average width of 13-pixel letters; the real width could be measured only on the page. */
const letterWidth = 7.6;
const gap = 8;

/** Returns the space that a circle and its label take up around the centre of the circle. */
export function shapeOf(node: Pick<GraphNode, 'kind' | 'label'>) {
  const radius = radii[node.kind];
  const halfLabelWidth = (mapLabelOf(node).length * letterWidth) / 2;
  return {
    halfWidth: Math.max(radius, halfLabelWidth) + gap,
    above: radius + gap,
    below: radius + labelOffset + gap,
  };
}
