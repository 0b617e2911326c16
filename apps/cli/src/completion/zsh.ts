import { contextArguments, flatten, type CommandNode, type OptionNode } from './command-tree';
import { listContexts, quote } from './shell-parts';

/** A completion script for zsh. */
export function toZsh(tree: CommandNode): string {
  const nodes = flatten(tree);
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '));
  return `#compdef daycare
# daycare completion for zsh; load it with: source <(daycare completion zsh)
_daycare_contexts() {
  local -a names=("\${(@f)$(${listContexts})}")
  compadd -a names
}
_daycare() {
  local path_="" word prev="\${words[CURRENT-1]}"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
      (${paths.map(quote).join('|')}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$prev" in
    (--context) _daycare_contexts; return ;;
${valueCases(tree, '')}  esac
  case "$path_ $prev" in
${nodes
  .filter(({ path }) => path.length > 0)
  .map((node) => valueCases(node, `${node.path.join(' ')} `))
  .join('')}  esac
  case "$path_" in
${nodes.map((node) => nodeCase(node, tree)).join('\n')}
  esac
  _describe 'daycare' found || _files
}
compdef _daycare daycare
`;
}

function valueCases({ options }: CommandNode, before: string): string {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flags, choices }) => {
      const patterns = flags.map((flag) => quote(`${before}${flag}`)).join('|');
      return `    (${patterns}) compadd -- ${choices.map(quote).join(' ')}; return ;;\n`;
    })
    .join('');
}

function nodeCase(node: CommandNode, tree: CommandNode): string {
  const subcommands = node.subcommands.map(({ path, description }) =>
    entry(path.at(-1) ?? '', description),
  );
  const all: readonly OptionNode[] = [...new Set([...node.options, ...tree.options])];
  const options = all.flatMap(({ flags, description }) =>
    flags.map((flag) => entry(flag, description)),
  );
  const contexts = contextArguments.includes(node.path.join(' ')) ? '_daycare_contexts; ' : '';
  const found = [...subcommands, ...options].join(' ');
  return `    (${quote(node.path.join(' '))}) ${contexts}found=(${found}) ;;`;
}

function entry(word: string, description: string): string {
  return quote(`${word}:${description}`);
}
