import {
  DescriptorKind,
  type HistoryRecord,
  type ToolCall,
} from '@daycare/contracts/agent-runtime';
import type { Topology } from '@daycare/contracts/topology';
import { friendId, lineOf } from './graph-of';

/** An agent on the map. */
export interface PlacedAgent {
  readonly id: string;
  readonly userId: string;
}

/** The lines to everything that can receive messages. */
export interface Lines {
  /** My user id. */
  readonly me: string;
  /** The lines to friends, subusers and what is shared with me, by nametag. */
  readonly byNametag: ReadonlyMap<string, string>;
  readonly byAgent: ReadonlyMap<string, string>;
}

export function linesOf({ self, subusers, friends, agents }: Topology): Lines {
  const me = self?.userId ?? '';
  const byNametag = new Map<string, string>();
  for (const { nametag, subuserId } of subusers?.subusers ?? [])
    byNametag.set(nametag, lineOf(me, subuserId));
  for (const { nametag, sharesIn } of friends?.friends ?? []) {
    byNametag.set(nametag, lineOf(me, friendId(nametag)));
    for (const { share } of sharesIn)
      if (share) byNametag.set(share.subuserNametag, lineOf(friendId(nametag), share.subuserId));
  }
  const byAgent = new Map(
    (agents?.agents ?? []).map(({ id, userId, kind }) => [
      id,
      // A gateway stands for its subuser.
      kind === DescriptorKind.SUBUSER ? lineOf(me, userId) : lineOf(userId || me, id),
    ]),
  );
  return { me, byNametag, byAgent };
}

/** Returns the lines that messages have travelled along according to one record in an agent's history. */
export function travelledLines(
  { record }: HistoryRecord,
  agent: PlacedAgent,
  lines: Lines,
): readonly string[] {
  if (record?.$case === 'userMessage')
    return withoutUndefined([lineFrom(record.value.origin, agent, lines)]);
  if (record?.$case !== 'assistantMessage') return [];
  const { toolCalls, text } = record.value;
  const answerLine = text === '' ? undefined : lines.byAgent.get(agent.id);
  return withoutUndefined([answerLine, ...toolCalls.map((call) => lineTo(call, agent, lines))]);
}

function lineFrom(origin: string, { id, userId }: PlacedAgent, lines: Lines): string | undefined {
  const [kind = '', nametag = ''] = origin.split(':');
  const isGuest = kind === 'friend' && userId !== lines.me;
  if (isGuest) return lineOf(friendId(nametag), userId);
  if (kind === 'friend' || kind === 'subuser') return lines.byNametag.get(nametag);
  return lines.byAgent.get(origin) ?? lines.byAgent.get(id);
}

/**
 * Returns the line along which a call sends a message. The recipient may be an origin instead of an agent's id, e.g.
 * `friend:otter7` when a subuser's gateway answers a guest.
 */
function lineTo({ name, argumentsJson }: ToolCall, agent: PlacedAgent, lines: Lines) {
  if (name !== 'friend_send' && name !== 'send_agent_message') return undefined;
  const { nametag, agentId } = readArguments(argumentsJson);
  if (agentId?.includes(':')) return lineFrom(agentId, agent, lines);
  return lines.byNametag.get(nametag ?? '') ?? lines.byAgent.get(agentId ?? '');
}

function readArguments(json: string): { nametag?: string; agentId?: string } {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function withoutUndefined(lines: readonly (string | undefined)[]): readonly string[] {
  return lines.filter((line) => line !== undefined);
}
