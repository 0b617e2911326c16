import { renderPersonText } from '../../agents';

/** A request to call a tool. */
export interface Command {
  readonly name: string;
  readonly argumentsJson: string;
}

const commandLine = /^\/([a-z][a-z0-9_]{0,63})(?:[ \t]+(\{.*\}))?[ \t]*$/;
const agentMessage = /^<system_message origin="([a-z0-9]{2,64})">([\s\S]*)<\/system_message>$/;
// The content of a system message is escaped, so text with a bare < or > between the tags is not one.
const anySystemMessage =
  /^<system_message origin="([^"<>]*)"(?: name="([^"<>]*)")?>([^<>]*)<\/system_message>$/;

/**
 * Reads the tool calls from a message in which every line is `/<tool> {json}`; returns none if there is any other line.
 * The caller decides whether the sender may call tools.
 */
export function readCommands(rendered: string): Command[] {
  const [, , inner] = agentMessage.exec(rendered) ?? [];
  const lines = (inner === undefined ? rendered : unescape(inner)).trim().split('\n');
  const commands = lines.map((line) => toCommand(commandLine.exec(line.trim())));
  return commands.every((command) => command !== undefined) ? commands : [];
}

/**
 * Splits a message into who sent it (empty for the person) and what it says, without escapes. Neither part contains a
 * system message tag.
 */
export function toPlainMessage(rendered: string): { readonly from: string; readonly text: string } {
  const [, origin = '', name = origin, inner] = anySystemMessage.exec(rendered) ?? [];
  if (inner === undefined) return { from: '', text: rendered };
  return { from: renderPersonText(unescape(name)), text: renderPersonText(unescape(inner)) };
}

const instructions = /^# Your instructions$/m;

/** Reads the tool calls from the instructions in a system prompt, one per line; other lines are ignored. */
export function readStandingCommands(systemPrompt: string): Command[] {
  const [, ...sections] = systemPrompt.split(instructions);
  return sections
    .join('\n')
    .split('\n')
    .flatMap((line) => toCommand(commandLine.exec(line.trim())) ?? []);
}

function toCommand(match: RegExpExecArray | null): Command | undefined {
  if (!match) return undefined;
  const [, name = '', argumentsJson = '{}'] = match;
  return { name, argumentsJson };
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => characters[entity] ?? entity);
}
