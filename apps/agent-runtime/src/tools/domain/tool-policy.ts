import type { Trust } from '@daycare/api';
import type { Verdict } from '../../agents';

export const audiences = ['sender', 'foreground', 'own', 'others'] as const;

/**
 * Who receives a call's text: `sender` is whoever started the turn, `foreground` an agent that talks with the user,
 * `own` another of the user's agents, and `others` anyone else.
 */
export type Audience = (typeof audiences)[number];

export type Verdicts = Readonly<Record<Trust, Verdict>>;

/** A tool's verdicts for each trust level, and the rules that apply to its calls. */
export interface ToolRow {
  /** The verdicts for the tool's calls, except calls for which `to` or `later` has other verdicts. */
  readonly verdicts: Verdicts;
  /** For a tool that sends text: the verdicts for certain recipients. */
  readonly to?: Readonly<Partial<Record<Audience, Verdicts>>>;
  /** For a tool that can also schedule a later effect: the verdicts for calls that do. */
  readonly later?: Verdicts;
  /** Changes nothing, so its calls may run in parallel and be repeated. */
  readonly isReadOnly?: true;
  /** Its result is private to the user and must not be shown to guests, unless the tool labels it otherwise. */
  readonly readsPrivate?: true;
  /**
   * Only a person may decide this: no policy lets a guest's or outsider's turn do it. In a turn with the trust `own`
   * that no person began, it needs approval, unless a policy has a verdict for that trust.
   */
  readonly isDecision?: true;
  /** Agents of subusers cannot use it, whatever a policy says. */
  readonly isTopLevelOnly?: true;
}

const always: Verdicts = { person: 'run', own: 'run', guest: 'run', outside: 'run' };
const guestAsks: Verdicts = { person: 'run', own: 'run', guest: 'ask', outside: 'refuse' };
const allowedToGuests: Verdicts = { person: 'run', own: 'run', guest: 'run', outside: 'refuse' };
const notForGuests: Verdicts = { person: 'run', own: 'run', guest: 'refuse', outside: 'refuse' };

/**
 * Reads the user's data. Every turn may do so, but a guest's turn then needs approval to answer the guest. Lists are
 * private too: friends must not learn who the user's other friends are, or whom the user has blocked.
 */
const read: ToolRow = { verdicts: always, readsPrivate: true, isReadOnly: true };
/** Changes, deletes, publishes, schedules or starts something. */
const change: ToolRow = { verdicts: guestAsks };
/** Like `change`, but also reveals some of the user's data. */
const execute: ToolRow = { verdicts: guestAsks, readsPrivate: true };
/** Reaches only agents of the same user, and they inherit the turn's trust. */
const sendToOwn: ToolRow = { verdicts: allowedToGuests };
const topLevel = { isTopLevelOnly: true } as const;

/**
 * The verdict on each tool in a turn of each trust level. This is the only definition: a tool without a row does not
 * compile, and the registry consults this table before every call.
 */
export const toolTable = {
  agent_create: change,
  agent_reset: change,
  // Reaches only the user, but copies a file that guests must not see.
  attach_file: execute,
  attachment_read: read,
  attachment_save: change,
  channel_create: change,
  channel_history: read,
  channel_join: change,
  channel_leave: change,
  channel_send: sendToOwn,
  cron_add: change,
  cron_edit: change,
  cron_list: read,
  cron_pause: change,
  cron_remove: change,
  cron_run: change,
  emit_signal: { ...sendToOwn, later: guestAsks },
  exec: execute,
  expose_create: change,
  expose_list: read,
  expose_remove: change,
  expose_update: change,
  file_delete: change,
  file_list: read,
  file_read: read,
  file_search: read,
  file_write: change,
  friend_add: { verdicts: notForGuests, isDecision: true, ...topLevel },
  friend_block: { ...change, ...topLevel },
  friend_list: { ...read, ...topLevel },
  friend_remove: { ...change, ...topLevel },
  friend_send: { verdicts: guestAsks, to: { sender: always }, ...topLevel },
  friend_share_subuser: { ...change, ...topLevel },
  friend_unblock: { ...change, ...topLevel },
  friend_unshare_subuser: { ...change, ...topLevel },
  heartbeat_add: change,
  heartbeat_list: read,
  heartbeat_remove: change,
  memory_delete: change,
  memory_list: read,
  memory_read: read,
  memory_search: read,
  memory_write: change,
  request_permission: { verdicts: allowedToGuests },
  send_agent_message: {
    verdicts: guestAsks,
    to: { sender: always, foreground: always, own: always },
  },
  signal_events: read,
  signal_subscribe: change,
  signal_unsubscribe: change,
  skill_read: read,
  start_background_agent: change,
  subuser_configure: { ...change, ...topLevel },
  subuser_create: { ...change, ...topLevel },
  subuser_delete: { ...change, ...topLevel },
  subuser_list: { ...read, ...topLevel },
  // Friends and agents read the name, so a guest's turn may not change it, not even with approval.
  subuser_rename: { verdicts: notForGuests, ...topLevel },
  tool_search: { verdicts: always, isReadOnly: true },
  topology: read,
} as const satisfies Readonly<Record<string, ToolRow>>;

export type ToolName = keyof typeof toolTable;

export const toolNames = Object.keys(toolTable) as readonly ToolName[];

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolTable, name);
}
