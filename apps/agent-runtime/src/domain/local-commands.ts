/** A tool that somebody asks for by name. */
export interface Command {
  readonly name: string;
  readonly argumentsJson: string;
}

const commandLine = /^\/([a-z][a-z0-9_]{0,63})(?:[ \t]+(\{.*\}))?[ \t]*$/;
const wrapped = /^<system_message origin="([a-z0-9]{2,64})">([\s\S]*)<\/system_message>$/;

/**
 * The tools that a message asks for: every line of it is `/<tool> {json}`. A message of which any line is
 * something else asks for none. Whether who said it may command is for the caller to know.
 */
export function readCommands(rendered: string): Command[] {
  const [, , inner] = wrapped.exec(rendered) ?? [];
  const lines = (inner === undefined ? rendered : unescape(inner)).trim().split('\n');
  const commands = lines.map((line) => commandLine.exec(line.trim()));
  return commands.every((found) => found !== null)
    ? commands.map(([, name = '', argumentsJson = '{}']) => ({ name, argumentsJson }))
    : [];
}

const signs: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (sign) => signs[sign] ?? sign);
}
