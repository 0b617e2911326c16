import type { ComponentChildren } from 'preact';

export interface TreeNode {
  readonly id: string;
  readonly content: ComponentChildren;
  readonly children: readonly TreeNode[];
}

/** Nested lists: the structure is what screen readers read. Branches fold with the keys of `details`. */
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
                // What a branch is called contains links, so folding has a place of its own.
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
