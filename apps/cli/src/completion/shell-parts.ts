/** Quotes text as a single POSIX shell word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A POSIX shell command that prints the names of contexts. Parsing the file is faster than running the CLI. */
export const listContexts = [
  `awk '/^contexts:/ { inside = 1; next } /^[^ ]/ { inside = 0 }`,
  `inside && /^  [^ ].*:/ { sub(/:.*/, ""); gsub(/[ "]/, ""); print }'`,
  `"\${DAYCARE_CONFIG:-\${XDG_CONFIG_HOME:-$HOME/.config}/daycare/config.yaml}" 2>/dev/null`,
].join(' ');
