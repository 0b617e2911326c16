/** Quotes a text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Prints the names of contexts in any POSIX shell, by parsing the file: faster than running the CLI. */
export const listContexts = [
  `awk '/^contexts:/ { inside = 1; next } /^[^ ]/ { inside = 0 }`,
  `inside && /^  [^ ].*:/ { sub(/:.*/, ""); gsub(/[ "]/, ""); print }'`,
  `"\${DAYCARE_CONFIG:-\${XDG_CONFIG_HOME:-$HOME/.config}/daycare/config.yaml}" 2>/dev/null`,
].join(' ');
