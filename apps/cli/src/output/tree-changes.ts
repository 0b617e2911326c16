import type { Branch } from './tree';

/** A line that is new in a tree, or no longer in it, prefixed with its parents. */
export interface TreeChange {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** Lists what differs between two trees, one entry per line; a changed line is listed as removed and as added. */
export function treeChanges(before: Branch, after: Branch): TreeChange[] {
  const [earlier, later] = [linesOf(before), linesOf(after)];
  const missing = (from: ReadonlySet<string>, lines: ReadonlySet<string>): string[] =>
    [...lines].filter((line) => !from.has(line));
  return [
    ...missing(later, earlier).map((text) => ({ sign: '-' as const, text })),
    ...missing(earlier, later).map((text) => ({ sign: '+' as const, text })),
  ];
}

/**
 * Returns each line below the section titles, prefixed with the title of its section and with its parents. The count in
 * the title is left out, because it changes with every new line.
 */
function linesOf({ children = [] }: Branch): ReadonlySet<string> {
  return new Set(
    children.flatMap((section) =>
      linesIn(section.children ?? [], section.text.replace(/ \(.*\)$/, '')),
    ),
  );
}

function linesIn(branches: readonly Branch[], path: string): string[] {
  return branches.flatMap(({ text, children = [] }) => {
    const line = `${path}: ${text}`;
    return [line, ...linesIn(children, line)];
  });
}
