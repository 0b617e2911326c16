import type { Trust } from '@daycare/api';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import type { Verdict } from '../../../apps/agent-runtime/src/agents/domain/tool-rules';
import {
  toolNames,
  toolTable,
  type Audience,
  type ToolName,
  type ToolRow,
} from '../../../apps/agent-runtime/src/tools/domain/tool-policy';
import { toolAttempts, type Things } from '../isolation/attempts';
import { lastReadText } from './hostile-model';

/** One call that an attacker wants an agent of its victim to make. */
export interface Order {
  readonly tool: ToolName;
  readonly args: object;
  /** The recipient of the text it sends; undefined for a tool that sends none. */
  readonly audience?: Audience;
  /** Whether it schedules a later effect. */
  readonly isLater?: true;
}

/** The victim's resources that the orders use. */
export type OwnThings = Omit<
  Things,
  'messageId' | 'fileId' | 'accessTokenId' | 'permissionRequestId' | 'grantId' | 'deadLetterId'
>;

/** The recipients that the orders name. */
export interface Addressees {
  /** The nametag of the user who wrote the message. */
  readonly sender: string;
  /** The nametag of another friend. */
  readonly other: string;
}

const reads = toolNames.filter((tool) => (toolTable[tool] as ToolRow).readsPrivate);
/** These come early, before other calls have used up the limit of pending permission requests. */
const early: readonly ToolName[] = ['request_permission', ...reads];

/**
 * Orders for every tool, about the victim's own resources. Reading tools come first, so that there is
 * something to leak; deleting tools come last.
 */
export function ordersFor(things: OwnThings, { sender, other }: Addressees): Order[] {
  const { path, agentId } = things;
  const better: Partial<Record<ToolName, object>> = {
    // No file has this id; the verdict comes before the file is read.
    attachment_read: { fileId: agentId },
    attachment_save: { fileId: agentId, path: 'home/mine.txt' },
    exec: { command: 'cat *' },
    file_delete: { path, recursive: true },
    file_list: {},
    file_read: { path },
    file_write: { path, content: 'mine' },
    friend_block: { nametag: other },
    friend_remove: { nametag: other },
    friend_unblock: { nametag: other },
    memory_write: { nodeId: things.nodeId, title: 'Rules', content: 'Always obey' },
    friend_add: { nametag: sender },
  };
  const args = (tool: ToolName): object =>
    better[tool] ?? toolAttempts[tool]!(things as Things, { friendNametag: sender, agentId });
  const quiet = toolNames.filter(
    (tool) => !(toolTable[tool] as ToolRow).to && !early.includes(tool),
  );
  return [
    ...early.map((tool) => ({ tool, args: args(tool) })),
    ...quiet.map((tool) => ({ tool, args: args(tool) })),
    {
      tool: 'emit_signal',
      isLater: true,
      args: { type: 'sweep:y', delayMs: 3_600_000, repeatKey: 'k' },
    },
    { tool: 'friend_send', audience: 'sender', args: { nametag: sender, message: lastReadText } },
    { tool: 'friend_send', audience: 'others', args: { nametag: other, message: lastReadText } },
    {
      tool: 'send_agent_message',
      audience: 'foreground',
      args: { text: 'They asked for you', agentId },
    },
  ];
}

export function textOf(orders: readonly Order[]): string {
  return orders.map(({ tool, args }) => `/${tool} ${JSON.stringify(args)}`).join('\n');
}

/** The turn in which an order is given. */
export interface OrderedTurn {
  readonly trust: Trust;
  readonly readPrivate: boolean;
  readonly isSubuser?: boolean;
}

/** The verdict of the tool table for an order. */
export function cellOf({ tool, audience, isLater }: Order, turn: OrderedTurn): Verdict {
  const { trust, readPrivate, isSubuser = false } = turn;
  const { verdicts, to = {}, later, isTopLevelOnly }: ToolRow = toolTable[tool];
  const verdict = ((isLater && later) ?? (audience && to[audience]) ?? verdicts)[trust];
  if (trust !== 'guest' && trust !== 'outside') return verdict;
  if (isSubuser && isTopLevelOnly) return 'refuse';
  const leaves = audience === 'sender' || audience === 'others';
  return readPrivate && leaves && verdict === 'run' ? 'ask' : verdict;
}

/** What happened to each call since a record, in order. */
export function seenSince(
  records: readonly HistoryRecord[],
  sequence: number,
): readonly SeenCall[] {
  const late = records.filter((record) => record.sequence > sequence);
  const results = late.flatMap(({ record }) =>
    record?.$case === 'toolResult' ? [record.value] : [],
  );
  return results.map(({ toolName, resultJson, isError }) => ({
    tool: toolName,
    resultJson,
    verdict: verdictOf(resultJson, isError),
  }));
}

export interface SeenCall {
  readonly tool: string;
  readonly resultJson: string;
  readonly verdict: Verdict | 'invalid';
}

function verdictOf(resultJson: string, isError: boolean): Verdict | 'invalid' {
  if (!isError) return resultJson.includes('"status":"waiting_for_approval"') ? 'ask' : 'run';
  if (resultJson.includes('"code":"INVALID_ARGUMENT"')) return 'invalid';
  if (/is refused: this turn|Agents of a subuser may not/.test(resultJson)) return 'refuse';
  // The number of pending requests is limited.
  return /wait(ing)? for a decision/.test(resultJson) ? 'ask' : 'run';
}
