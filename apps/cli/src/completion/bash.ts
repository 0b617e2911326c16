import { contextArguments, flatten, type CommandNode } from './command-tree';
import { listContexts, quote } from './shell-parts';

/** A completion script for bash. */
export function toBash(tree: CommandNode): string {
  const nodes = flatten(tree);
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '));
  return `# daycare completion for bash; load it with: source <(daycare completion bash)
_daycare_contexts() {
  ${listContexts}
}
_daycare() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.map(quote).join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$prev" in
    --context) words="$(_daycare_contexts)" ;;
${optionCases(tree, (flag) => quote(flag))}
    *)
      case "$path $prev" in
${nodes.map((node) => optionCases(node, (flag) => quote([...node.path, flag].join(' ')))).join('')}
        *)
          case "$path" in
${nodes.map((node) => `            ${quote(node.path.join(' '))}) words=${wordsOf(node, tree)} ;;`).join('\n')}
          esac
          ;;
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _daycare daycare
`;
}

/** The values of options that have fixed choices. */
function optionCases({ options }: CommandNode, pattern: (flag: string) => string): string {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flags, choices }) => {
      const patterns = flags.map(pattern).join(' | ');
      return `    ${patterns}) words=${quote(choices.join(' '))} ;;\n`;
    })
    .join('');
}

function wordsOf(node: CommandNode, tree: CommandNode): string {
  const subcommands = node.subcommands.map(({ path }) => path.at(-1) ?? '');
  const options = [...new Set([...node.options, ...tree.options])].flatMap(({ flags }) => flags);
  const words = quote([...subcommands, ...options, '--help'].join(' '));
  const takesContext = contextArguments.includes(node.path.join(' '));
  return takesContext ? `${words}" $(_daycare_contexts)"` : words;
}
