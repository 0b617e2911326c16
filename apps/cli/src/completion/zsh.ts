import { commandsTakingContext, flatten, type CommandNode, type OptionNode } from './command-tree';
import { listContexts, quote } from './shell-parts';

/** Generates a completion script for zsh. */
export function toZsh(tree: CommandNode): string {
  const nodes = flatten(tree);
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '));
  return `#compdef daycare
# daycare completion for zsh; load it with: source <(daycare completion zsh)
_daycare_contexts() {
  local -a names=("\${(@f)$(${listContexts})}")
  compadd -a names
}
_daycare_names() {
  local -a names=("\${(@f)$(\${=_daycare_command:-daycare} completion names "$1" 2>/dev/null)}")
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
  (( \${#found} )) && _describe 'daycare' found
}
_daycare_npx() {
  if [[ "\${words[2]}" == daycare && $CURRENT -gt 2 ]]; then
    local _daycare_command="npx daycare"
    shift words
    (( CURRENT-- ))
    _daycare
  else
    compadd daycare
  fi
}
compdef _daycare daycare
compdef _daycare_npx npx
`;
}

function valueCases({ options }: CommandNode, before: string): string {
  return options
    .filter(({ takesValue, flags }) => takesValue && !flags.includes('--context'))
    .map((option) => {
      const patterns = option.flags.map((flag) => quote(`${before}${flag}`)).join('|');
      return `    (${patterns}) ${valuesOf(option)}return ;;\n`;
    })
    .join('');
}

function valuesOf({ choices, names, takesFile }: OptionNode): string {
  if (names) return `_daycare_names ${names}; `;
  if (takesFile) return '_files; ';
  return choices.length > 0 ? `compadd -- ${choices.map(quote).join(' ')}; ` : '';
}

/** Offers options only after a dash has been typed. */
function nodeCase(node: CommandNode, tree: CommandNode): string {
  const subcommands = node.subcommands.map(({ path, description }) =>
    entry(path.at(-1) ?? '', description),
  );
  const all: readonly OptionNode[] = [...new Set([...node.options, ...tree.options])];
  const options = all.flatMap(({ flags, description }) =>
    flags.map((flag) => entry(flag, description)),
  );
  const dynamic = commandsTakingContext.includes(node.path.join(' '))
    ? ['_daycare_contexts']
    : node.names.map((kind) => `_daycare_names ${kind}`);
  const files = node.takesFile ? ['_files'] : [];
  const isOption = '[[ "${words[CURRENT]}" == -* ]]';
  const offer = [...dynamic, ...files, `found=(${subcommands.join(' ')})`].join('; ');
  return `    (${quote(node.path.join(' '))}) if ${isOption}; then found=(${options.join(' ')}); else ${offer}; fi ;;`;
}

function entry(word: string, description: string): string {
  return quote(`${word}:${description}`);
}
