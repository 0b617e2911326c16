import type { ToolName } from '../../../apps/agent-runtime/src/tools/domain/tool-policy';

export type ToolResult = Record<string, string>;
export type RunTool = (tool: ToolName, args: object) => Promise<ToolResult>;

/** Channels that another of the user's agents has created. */
export const otherAgentsChannels = ['once-joined', 'once-left'] as const;

/** Ids and nametags of existing resources. Each friend and each subuser is used by only one kind of call. */
export interface ReplayResources {
  readonly agentId: string;
  /** The user's friends, one for each kind of call. */
  readonly friends: Readonly<Record<'send' | 'share' | 'unshare' | 'remove' | 'block', string>>;
  readonly blocked: string;
  readonly stranger: string;
  readonly subusers: Readonly<Record<'share' | 'unshare' | 'change' | 'rename' | 'delete', string>>;
}

/** A call that changes something, and for most calls another change, made between the call and its retry. */
export interface ReplayedCall {
  readonly args: (resources: ReplayResources, prepared: ToolResult) => object;
  /** Creates the resource that the call changes, or brings it into the state that the call requires. */
  readonly prepare?: (run: RunTool, resources: ReplayResources) => Promise<ToolResult>;
  /** Undoes the call or changes the same resource again; the retry must not overwrite that. */
  readonly beforeRetry?: (
    run: RunTool,
    result: ToolResult,
    resources: ReplayResources,
  ) => Promise<unknown>;
}

const path = 'home/replayed.txt';
const node = (content: string) => ({ nodeId: 'replayed', title: 'Node', content, parents: [] });
const cron = { name: 'Tick', schedule: '0 0 1 1 *', prompt: 'go' };
const heartbeat = { title: 'Beat', prompt: 'go' };
const endpoint = ({ agentId }: ReplayResources) => ({
  name: 'Hook',
  target: `agent:${agentId}`,
  mode: 'public',
  auth: 'password',
});

/** A call of every tool that changes something. */
export const replayedCalls: Readonly<Partial<Record<ToolName, ReplayedCall>>> = {
  agent_create: { args: () => ({ kind: 'permanent', name: 'Once' }) },
  agent_reset: { args: () => ({ message: 'reset once' }) },
  attach_file: {
    prepare: (run) => run('file_write', { path: 'home/attached.txt', content: 'old' }),
    args: () => ({ path: 'home/attached.txt' }),
    beforeRetry: (run) => run('file_write', { path: 'home/attached.txt', content: 'newer' }),
  },
  attachment_save: {
    async prepare(run) {
      await run('file_write', { path: 'home/to-save.txt', content: 'old' });
      return run('attach_file', { path: 'home/to-save.txt' });
    },
    args: (_, { fileId }) => ({ fileId, path: 'home/saved.txt' }),
    beforeRetry: (run) => run('file_write', { path: 'home/saved.txt', content: 'newer' }),
  },
  channel_create: { args: () => ({ name: 'once-created' }) },
  channel_join: {
    args: () => ({ channel: 'once-joined', username: 'me' }),
    beforeRetry: (run) => run('channel_leave', { channel: 'once-joined' }),
  },
  channel_leave: {
    prepare: (run) => run('channel_join', { channel: 'once-left', username: 'me' }),
    args: () => ({ channel: 'once-left' }),
    beforeRetry: (run) => run('channel_join', { channel: 'once-left', username: 'me' }),
  },
  channel_send: {
    prepare: (run) => run('channel_create', { name: 'once-sent' }),
    args: () => ({ channel: 'once-sent', message: 'said once' }),
  },
  cron_add: {
    args: () => cron,
    beforeRetry: (run, { cronId }) => run('cron_remove', { cronId }),
  },
  cron_edit: {
    prepare: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId, name: 'Tock' }),
    beforeRetry: async (run, { cronId }) => run('cron_edit', { cronId, name: 'Tack' }),
  },
  cron_pause: {
    prepare: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
    beforeRetry: async (run, { cronId }) => run('cron_pause', { cronId, resume: true }),
  },
  cron_remove: {
    prepare: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
    beforeRetry: (run) => run('cron_add', cron),
  },
  cron_run: {
    prepare: (run) => run('cron_add', cron),
    args: (_, { cronId }) => ({ cronId }),
  },
  emit_signal: { args: () => ({ type: 'once:emitted' }) },
  exec: { args: () => ({ command: 'echo once >> executed.txt; wc -l < executed.txt' }) },
  expose_create: {
    args: endpoint,
    beforeRetry: (run, { endpointId }) => run('expose_remove', { endpointId }),
  },
  expose_update: {
    prepare: (run, resources) => run('expose_create', endpoint(resources)),
    args: (_, { endpointId }) => ({ endpointId, name: 'Old' }),
    beforeRetry: (run, { endpointId }) => run('expose_update', { endpointId, name: 'Newer' }),
  },
  expose_remove: {
    prepare: (run, resources) => run('expose_create', endpoint(resources)),
    args: (_, { endpointId }) => ({ endpointId }),
    beforeRetry: (run, _, resources) => run('expose_create', endpoint(resources)),
  },
  file_write: {
    args: () => ({ path, content: 'old' }),
    beforeRetry: (run) => run('file_write', { path, content: 'newer' }),
  },
  file_delete: {
    prepare: (run) => run('file_write', { path: 'home/deleted.txt', content: 'old' }),
    args: () => ({ path: 'home/deleted.txt' }),
    beforeRetry: (run) => run('file_write', { path: 'home/deleted.txt', content: 'newer' }),
  },
  friend_add: {
    args: ({ stranger: nametag }) => ({ nametag }),
    beforeRetry: (run, _, { stranger: nametag }) => run('friend_remove', { nametag }),
  },
  friend_remove: { args: ({ friends }) => ({ nametag: friends.remove }) },
  friend_block: {
    args: ({ friends }) => ({ nametag: friends.block }),
    beforeRetry: (run, _, { friends }) => run('friend_unblock', { nametag: friends.block }),
  },
  friend_unblock: {
    prepare: (run, { blocked: nametag }) => run('friend_block', { nametag }),
    args: ({ blocked: nametag }) => ({ nametag }),
    beforeRetry: (run, _, { blocked: nametag }) => run('friend_block', { nametag }),
  },
  friend_send: { args: ({ friends }) => ({ nametag: friends.send, message: 'sent once' }) },
  friend_share_subuser: {
    args: ({ friends, subusers }) => ({
      friendNametag: friends.share,
      subuserId: subusers.share,
    }),
    beforeRetry: (run, _, { friends, subusers }) =>
      run('friend_unshare_subuser', { friendNametag: friends.share, subuserId: subusers.share }),
  },
  friend_unshare_subuser: {
    prepare: (run, { friends, subusers }) =>
      run('friend_share_subuser', { friendNametag: friends.unshare, subuserId: subusers.unshare }),
    args: ({ friends, subusers }) => ({
      friendNametag: friends.unshare,
      subuserId: subusers.unshare,
    }),
    beforeRetry: (run, _, { friends, subusers }) =>
      run('friend_share_subuser', { friendNametag: friends.unshare, subuserId: subusers.unshare }),
  },
  heartbeat_add: {
    args: () => heartbeat,
    beforeRetry: (run, { heartbeatId }) => run('heartbeat_remove', { heartbeatId }),
  },
  heartbeat_remove: {
    prepare: (run) => run('heartbeat_add', heartbeat),
    args: (_, { heartbeatId }) => ({ heartbeatId }),
    beforeRetry: (run) => run('heartbeat_add', heartbeat),
  },
  memory_write: {
    args: () => node('old'),
    beforeRetry: (run) => run('memory_write', node('newer')),
  },
  memory_delete: {
    prepare: (run) => run('memory_write', { ...node('old'), nodeId: 'deleted' }),
    args: () => ({ nodeId: 'deleted' }),
    beforeRetry: (run) => run('memory_write', { ...node('newer'), nodeId: 'deleted' }),
  },
  request_permission: { args: () => ({ permission: 'network', reason: 'once' }) },
  send_agent_message: { args: ({ agentId }) => ({ agentId, text: 'told once' }) },
  signal_subscribe: {
    args: () => ({ pattern: 'once:*' }),
    beforeRetry: (run) => run('signal_unsubscribe', { pattern: 'once:*' }),
  },
  signal_unsubscribe: {
    prepare: (run) => run('signal_subscribe', { pattern: 'twice:*' }),
    args: () => ({ pattern: 'twice:*' }),
    beforeRetry: (run) => run('signal_subscribe', { pattern: 'twice:*' }),
  },
  start_background_agent: { args: () => ({ prompt: 'work once', name: 'Worker' }) },
  subuser_create: {
    args: () => ({ name: 'Once', systemPrompt: 'Be brief.' }),
    beforeRetry: (run, { subuserId }) => run('subuser_delete', { subuserId }),
  },
  subuser_configure: {
    args: ({ subusers }) => ({ subuserId: subusers.change, systemPrompt: 'Old.' }),
    beforeRetry: (run, _, { subusers }) =>
      run('subuser_configure', { subuserId: subusers.change, systemPrompt: 'Newer.' }),
  },
  subuser_rename: {
    args: ({ subusers }) => ({ subuserId: subusers.rename, name: 'Old' }),
    beforeRetry: (run, _, { subusers }) =>
      run('subuser_rename', { subuserId: subusers.rename, name: 'Newer' }),
  },
  subuser_delete: { args: ({ subusers }) => ({ subuserId: subusers.delete }) },
};
