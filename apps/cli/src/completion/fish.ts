import { commandsTakingContext, flatten, type CommandNode, type OptionNode } from './command-tree';
import { listContexts } from './shell-parts';

/** Generates a completion script for fish. */
export function toFish(tree: CommandNode): string {
  return [
    '# daycare completion for fish; load it with: daycare completion fish | source',
    'function __daycare_contexts',
    `  sh -c ${quote(listContexts)}`,
    'end',
    'function __daycare_names',
    '  daycare completion names $argv[1] 2>/dev/null',
    'end',
    'complete -c daycare -f',
    "complete -c npx -n '__fish_seen_subcommand_from daycare' -a '(__daycare_npx)'",
    'function __daycare_npx',
    '  set -l words (commandline -opc) (commandline -ct)',
    '  complete -C (string join " " -- $words[2..-1])',
    'end',
    ...tree.options.map((option) => optionLine(option)),
    ...flatten(tree).flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf(node: CommandNode): string[] {
  const here = conditionOf(node.path);
  const verbs = node.subcommands.map(({ path }) => path.at(-1) ?? '');
  const notYet = node.path.length === 0 ? here : `${here}; and not ${seen(verbs)}`;
  const subcommands = node.subcommands.map(
    ({ path, description }) =>
      `complete -c daycare -n ${quote(notYet)} -a ${quote(path.at(-1) ?? '')} -d ${quote(description)}`,
  );
  if (node.path.length === 0) return subcommands;
  const values = commandsTakingContext.includes(node.path.join(' '))
    ? [`complete -c daycare -n ${quote(here)} -a '(__daycare_contexts)'`]
    : node.names.map(
        (kind) => `complete -c daycare -n ${quote(here)} -a '(__daycare_names ${kind})'`,
      );
  const files = node.takesFile ? [`complete -c daycare -n ${quote(here)} -F`] : [];
  return [
    ...subcommands,
    ...values,
    ...files,
    ...node.options.map((option) => optionLine(option, here)),
  ];
}

function conditionOf(path: readonly string[]): string {
  return path.length === 0
    ? '__fish_use_subcommand'
    : path.map((word) => seen([word])).join('; and ');
}

function seen(words: readonly string[]): string {
  return `__fish_seen_subcommand_from ${words.join(' ')}`;
}

function optionLine(
  { flags, description, takesValue, takesFile, choices, names: kind }: OptionNode,
  when?: string,
): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const dynamic = kind && `(__daycare_names ${kind})`;
  const fixed = flags.includes('--context') ? '(__daycare_contexts)' : choices.join(' ');
  const values = dynamic ?? fixed;
  return [
    'complete -c daycare',
    ...(when ? [`-n ${quote(when)}`] : []),
    ...names,
    ...(takesValue ? [takesFile ? '-r -F' : '-x'] : []),
    ...(values === '' ? [] : [`-a ${quote(values)}`]),
    `-d ${quote(description)}`,
  ].join(' ');
}

/** Quotes text as a single fish word. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
