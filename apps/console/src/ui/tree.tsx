import type { ComponentChildren } from 'preact';

export interface TreeNode {
  readonly id: string;
  readonly content: ComponentChildren;
  readonly children: readonly TreeNode[];
}

/**
 * Nested lists, whose structure screen readers announce. Branches are `details` elements, so they open and close with
 * the usual keys.
 */
export function Tree({
  nodes,
  label,
}: {
  readonly nodes: readonly TreeNode[];
  readonly label?: string;
}) {
  return (
    <ul class="tree" aria-label={label}>
      {nodes.map(({ id, content, children }) => (
        <li key={id}>
          {typeof content === 'string' ? (
            <Fold nodes={children}>
              <summary>
                {content} <span class="count">{children.length}</span>
              </summary>
            </Fold>
          ) : (
            <>
              <div class="tree-leaf">{content}</div>
              {children.length > 0 && (
                // Content that is not plain text may contain links, so it cannot be the summary itself.
                <Fold nodes={children}>
                  <summary class="muted small">{children.length} below</summary>
                </Fold>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Fold({
  nodes,
  children,
}: {
  readonly nodes: readonly TreeNode[];
  readonly children: ComponentChildren;
}) {
  return (
    <details open>
      {children}
      <Tree nodes={nodes} />
    </details>
  );
}
