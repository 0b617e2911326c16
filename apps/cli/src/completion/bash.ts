import { commandsTakingContext, flatten, type CommandNode } from './command-tree';
import { listContexts, quote } from './shell-parts';

/** Generates a completion script for bash. */
export function toBash(tree: CommandNode): string {
  const nodes = flatten(tree);
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '));
  return `# daycare completion for bash; load it with: source <(daycare completion bash)
_daycare_contexts() {
  ${listContexts}
}
_daycare_names() {
  \${_daycare_command:-daycare} completion names "$1" 2>/dev/null
}
_daycare() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words options
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
${nodes.map((node) => `            ${quote(node.path.join(' '))}) ${wordsOf(node, tree)} ;;`).join('\n')}
          esac
          ;;
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_daycare_npx() {
  if [ "\${COMP_WORDS[1]}" = daycare ] && [ "$COMP_CWORD" -gt 1 ]; then
    local _daycare_command="npx daycare"
    COMP_WORDS=("\${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
    _daycare
  else
    COMPREPLY=($(compgen -W daycare -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o default -F _daycare daycare
complete -o default -F _daycare_npx npx
`;
}

/** Returns the cases that complete the values of options that have fixed choices or name something. */
function optionCases({ options }: CommandNode, pattern: (flag: string) => string): string {
  return options
    .filter(({ choices, names }) => choices.length > 0 || names !== undefined)
    .map(({ flags, choices, names }) => {
      const patterns = flags.map(pattern).join(' | ');
      const words = names ? `"$(_daycare_names ${names})"` : quote(choices.join(' '));
      return `    ${patterns}) words=${words} ;;\n`;
    })
    .join('');
}

/** Offers options after a dash has been typed; otherwise subcommands, contexts or names. */
function wordsOf(node: CommandNode, tree: CommandNode): string {
  const subcommands = node.subcommands.map(({ path }) => path.at(-1) ?? '');
  const options = [...new Set([...node.options, ...tree.options])].flatMap(({ flags }) => flags);
  const dynamic = commandsTakingContext.includes(node.path.join(' '))
    ? ['"$(_daycare_contexts)"']
    : node.names.map((kind) => `"$(_daycare_names ${kind})"`);
  const words = [quote(subcommands.join(' ')), ...dynamic].join('" "');
  return `case "$cur" in -*) words=${quote([...options, '--help'].join(' '))} ;; *) words=${words} ;; esac`;
}
