import type { ToolName } from '../../../apps/agent-runtime/src/tools/domain/tool-policy';

export type ToolResult = Record<string, string>;
export type RunTool = (tool: ToolName, args: object) => Promise<ToolResult>;

/** Channels of another agent of the user. */
export const foreignChannels = ['once-joined', 'once-left'] as const;

/** Names of the resources that the calls use; each exists and is used by one call only. */
export interface ReplayThings {
  readonly agentId: string;
  /** Friends of the user, one for each kind of call, and a stranger. */
  readonly friends: Readonly<Record<'send' | 'share' | 'unshare' | 'remove' | 'block', string>>;
  readonly blocked: string;
  readonly stranger: string;
  readonly subusers: Readonly<Record<'share' | 'unshare' | 'change' | 'rename' | 'delete', string>>;
}

/** A call that changes something, and the changes between it and its retry. */
export interface ReplayedCall {
  readonly args: (things: ReplayThings, made: ToolResult) => object;
  /** Creates the resource that the call uses. */
  readonly before?: (run: RunTool, things: ReplayThings) => Promise<ToolResult>;
  /** Undoes the call or changes the same resource again; the retry must not overwrite that. */
  readonly since?: (run: RunTool, result: ToolResult, things: ReplayThings) => Promise<unknown>;
}

const path = 'home/replayed.txt';
const node = (content: string) => ({ nodeId: 'replayed', title: 'Node', content, parents: [] });
const cron = { name: 'Tick', schedule: '0 0 1 1 *', prompt: 'go' };
const heartbeat = { title: 'Beat', prompt: 'go' };
const endpoint = ({ agentId }: ReplayThings) => ({
  ...{ name: 'Hook', target: `agent:${agentId}`, mode: 'public', auth: 'password' },
});

/** Every tool that changes something. */
export const replayedCalls: Readonly<Partial<Record<ToolName, ReplayedCall>>> = {
  agent_create: { args: () => ({ kind: 'permanent', name: 'Once' }) },
  agent_reset: { args: () => ({ message: 'reset once' }) },
  attach_file: {
    before: (run) => run('file_write', { path: 'home/attached.txt', content: 'old' }),
    args: () => ({ path: 'home/attached.txt' }),
    since: (run) => run('file_write', { path: 'home/attached.txt', content: 'newer' }),
  },
  attachment_save: {
    async before(run) {
      await run('file_write', { path: 'home/to-save.txt', content: 'old' });
      return run('attach_file', { path: 'home/to-save.txt' });
    },
    args: (_, { fileId }) => ({ fileId, path: 'home/saved.txt' }),
    since: (run) => run('file_write', { path: 'home/saved.txt', content: 'newer' }),
  },
  channel_create: { args: () => ({ name: 'once-created' }) },
  channel_join: {
    args: () => ({ channel: 'once-joined', username: 'me' }),
    since: (run) => run('channel_leave', { channel: 'once-joined' }),
  },
  channel_leave: {
    before: (run) => run('channel_join', { channel: 'once-left', username: 'me' }),
    args: () => ({ channel: 'once-left' }),
    since: (run) => run('channel_join', { channel: 'once-left', username: 'me' }),
  },
  channel_send: {
    before: (run) => run('channel_create', { name: 'once-sent' }),
    args: () => ({ channel: 'once-sent', message: 'said once' }),
  },
  cron_add: {
    args: () => cron,
    since: (run, { cronId }) => run('cron_remove', { cronId }),
  },
  cron_edit: {
    before: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId, name: 'Tock' }),
    since: async (run, { cronId }) => run('cron_edit', { cronId, name: 'Tack' }),
  },
  cron_pause: {
    before: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
    since: async (run, { cronId }) => run('cron_pause', { cronId, resume: true }),
  },
  cron_remove: {
    before: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
    since: (run) => run('cron_add', cron),
  },
  cron_run: {
    before: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
  },
  emit_signal: { args: () => ({ type: 'once:emitted' }) },
  exec: { args: () => ({ command: 'echo once >> executed.txt; wc -l < executed.txt' }) },
  expose_create: {
    args: endpoint,
    since: (run, { endpointId }) => run('expose_remove', { endpointId }),
  },
  expose_update: {
    before: (run, things) => run('expose_create', endpoint(things)),
    args: (_, { endpointId }) => ({ endpointId, name: 'Old' }),
    since: (run, { endpointId }) => run('expose_update', { endpointId, name: 'Newer' }),
  },
  expose_remove: {
    before: (run, things) => run('expose_create', endpoint(things)),
    args: (_, { endpointId }) => ({ endpointId }),
    since: (run, _, things) => run('expose_create', endpoint(things)),
  },
  file_write: {
    args: () => ({ path, content: 'old' }),
    since: (run) => run('file_write', { path, content: 'newer' }),
  },
  file_delete: {
    before: (run) => run('file_write', { path: 'home/deleted.txt', content: 'old' }),
    args: () => ({ path: 'home/deleted.txt' }),
    since: (run) => run('file_write', { path: 'home/deleted.txt', content: 'newer' }),
  },
  friend_add: {
    args: ({ stranger: nametag }) => ({ nametag }),
    since: (run, _, { stranger: nametag }) => run('friend_remove', { nametag }),
  },
  friend_remove: { args: ({ friends }) => ({ nametag: friends.remove }) },
  friend_block: {
    args: ({ friends }) => ({ nametag: friends.block }),
    since: (run, _, { friends }) => run('friend_unblock', { nametag: friends.block }),
  },
  friend_unblock: {
    before: (run, { blocked: nametag }) => run('friend_block', { nametag }),
    args: ({ blocked: nametag }) => ({ nametag }),
    since: (run, _, { blocked: nametag }) => run('friend_block', { nametag }),
  },
  friend_send: { args: ({ friends }) => ({ nametag: friends.send, message: 'sent once' }) },
  friend_share_subuser: {
    args: ({ friends, subusers }) => ({
      friendNametag: friends.share,
      subuserId: subusers.share,
    }),
    since: (run, _, { friends, subusers }) =>
      run('friend_unshare_subuser', { friendNametag: friends.share, subuserId: subusers.share }),
  },
  friend_unshare_subuser: {
    before: (run, { friends, subusers }) =>
      run('friend_share_subuser', { friendNametag: friends.unshare, subuserId: subusers.unshare }),
    args: ({ friends, subusers }) => ({
      friendNametag: friends.unshare,
      subuserId: subusers.unshare,
    }),
    since: (run, _, { friends, subusers }) =>
      run('friend_share_subuser', { friendNametag: friends.unshare, subuserId: subusers.unshare }),
  },
  heartbeat_add: {
    args: () => heartbeat,
    since: (run, { heartbeatId }) => run('heartbeat_remove', { heartbeatId }),
  },
  heartbeat_remove: {
    before: (run) => run('heartbeat_add', heartbeat),
    args: (_, { heartbeatId }) => ({ heartbeatId }),
    since: (run) => run('heartbeat_add', heartbeat),
  },
  memory_write: {
    args: () => node('old'),
    since: (run) => run('memory_write', node('newer')),
  },
  memory_delete: {
    before: (run) => run('memory_write', { ...node('old'), nodeId: 'deleted' }),
    args: () => ({ nodeId: 'deleted' }),
    since: (run) => run('memory_write', { ...node('newer'), nodeId: 'deleted' }),
  },
  request_permission: { args: () => ({ permission: 'network', reason: 'once' }) },
  send_agent_message: { args: ({ agentId }) => ({ agentId, text: 'told once' }) },
  signal_subscribe: {
    args: () => ({ pattern: 'once:*' }),
    since: (run) => run('signal_unsubscribe', { pattern: 'once:*' }),
  },
  signal_unsubscribe: {
    before: (run) => run('signal_subscribe', { pattern: 'twice:*' }),
    args: () => ({ pattern: 'twice:*' }),
    since: (run) => run('signal_subscribe', { pattern: 'twice:*' }),
  },
  start_background_agent: { args: () => ({ prompt: 'work once', name: 'Worker' }) },
  subuser_create: {
    args: () => ({ name: 'Once', systemPrompt: 'Be brief.' }),
    since: (run, { subuserId }) => run('subuser_delete', { subuserId }),
  },
  subuser_configure: {
    args: ({ subusers }) => ({ subuserId: subusers.change, systemPrompt: 'Old.' }),
    since: (run, _, { subusers }) =>
      run('subuser_configure', { subuserId: subusers.change, systemPrompt: 'Newer.' }),
  },
  subuser_rename: {
    args: ({ subusers }) => ({ subuserId: subusers.rename, name: 'Old' }),
    since: (run, _, { subusers }) =>
      run('subuser_rename', { subuserId: subusers.rename, name: 'Newer' }),
  },
  subuser_delete: { args: ({ subusers }) => ({ subuserId: subusers.delete }) },
};
