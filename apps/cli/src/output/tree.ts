/** A line with what belongs below it. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
}

/** Draws a tree with lines that lead from each branch to what is below it. */
export function renderTree({ text, below = [] }: Branch): string {
  return [text, ...below.flatMap((branch, at) => drawBelow(branch, at === below.length - 1))].join(
    '\n',
  );
}

function drawBelow(branch: Branch, isLast: boolean): string[] {
  const [first = '', ...rest] = renderTree(branch).split('\n');
  const [knee, line] = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
  return [`${knee}${first}`, ...rest.map((text) => `${line}${text}`)];
}
