/** A line with its children. */
export interface Branch {
  readonly text: string;
  readonly children?: readonly Branch[];
}

/** Draws a tree with lines from each branch to its children. */
export function renderTree({ text, children = [] }: Branch): string {
  return [
    text,
    ...children.flatMap((branch, at) => drawChild(branch, at === children.length - 1)),
  ].join('\n');
}

function drawChild(branch: Branch, isLast: boolean): string[] {
  const [first = '', ...rest] = renderTree(branch).split('\n');
  const [corner, line] = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
  return [`${corner}${first}`, ...rest.map((text) => `${line}${text}`)];
}
