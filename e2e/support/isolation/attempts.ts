import { createId } from '@daycare/api/create-id';
import type { ServiceName } from '@daycare/contracts/access';
import { BudgetPeriod, DescriptorKind, PermissionDecision } from '@daycare/contracts/agent-runtime';
import { EndpointAuth, EndpointMode } from '@daycare/contracts/topology';

/** Ids and names of a user's resources, or of resources that do not exist. */
export interface Things {
  readonly userId: string;
  readonly agentId: string;
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly gatewayId: string;
  readonly messageId: string;
  readonly fileId: string;
  readonly permissionRequestId: string;
  readonly grantId: string;
  readonly deadLetterId: string;
  readonly cronId: string;
  readonly heartbeatId: string;
  readonly channelName: string;
  readonly pattern: string;
  readonly endpointId: string;
  readonly nodeId: string;
  readonly path: string;
  readonly skillName: string;
  readonly accessTokenId: string;
}

/** The attacker's own resources, to get as far as possible. */
export interface Own {
  readonly friendNametag: string;
  readonly agentId: string;
}

/** A request, or the arguments of a tool; omitted fields are empty. */
export type Attempt = (things: Things, own: Own) => object;

const nothing: Attempt = () => ({});
/** The user's own agent, and the gateway of its subuser. */
const ofAgents: readonly Attempt[] = [
  ({ agentId }) => ({ agentId }),
  ({ gatewayId: agentId }) => ({ agentId }),
];
const change = (request: object) => ({ requestId: createId(), ...request });

/** The attempts on each RPC with foreign resources. A missing RPC fails the test. */
export const rpcAttempts: Record<ServiceName, Record<string, Attempt | readonly Attempt[]>> = {
  identity: {
    createUser: () => change({ name: 'Somebody' }),
    getUser: ({ userId }) => ({ userId }),
    batchGetUsers: ({ userId, subuserId }) => ({ userIds: [userId, subuserId] }),
    resolveNametag: ({ subuserNametag: nametag }) => ({ nametag }),
    resolveConnectorKey: () => change({ connector: 'telegram', key: '1', name: 'Somebody' }),
    createSubuser: () => change({ name: 'Mine' }),
    listSubusers: nothing,
    renameSubuser: ({ subuserId }) => change({ subuserId, name: 'Mine' }),
    deleteSubuser: ({ subuserId }) => change({ subuserId }),
    deleteUser: ({ userId }) => change({ userId }),
    updateUser: ({ userId }) => change({ userId, timeZone: 'Asia/Tokyo' }),
    issueToken: ({ userId, agentId }) => ({ userId, agentId }),
    refreshToken: () => ({ refreshToken: 'none' }),
    revokeToken: () => ({ token: 'none' }),
    listSessions: [
      ({ userId: value }) => ({ of: { $case: 'userId', value } }),
      () => ({ of: { $case: 'credential', value: 'admin' } }),
    ],
    revokeSessions: [
      ({ userId: value }) => ({ target: { $case: 'userId', value } }),
      () => ({ target: { $case: 'credential', value: 'admin' } }),
    ],
    createAccessToken: ({ subuserId }) =>
      change({ name: 'mine', scopes: ['agents:read'], subuserId }),
    listAccessTokens: nothing,
    revokeAccessToken: ({ accessTokenId: tokenId }) => ({ tokenId }),
    exchangeAccessToken: () => ({ secret: 'dcp_none' }),
    createSignInCode: ({ userId }) => ({ userId }),
    exchangeSignInCode: () => ({ code: 'dcc_none' }),
    listSignInProviders: nothing,
    beginSignIn: () => ({ provider: 'none', redirectUri: 'https://example.org/' }),
    completeSignIn: () => ({ query: 'code=none&state=none', browserSecret: 'none' }),
    rotateSigningKey: () => change({ removeOthers: true }),
    getJwks: nothing,
    listUsers: nothing,
    getServiceStatus: nothing,
  },
  'social-graph': {
    addFriend: ({ subuserNametag: nametag }) => change({ nametag }),
    removeFriend: ({ subuserNametag: nametag }) => change({ nametag }),
    sendFriendMessage: ({ subuserNametag: nametag }) => change({ nametag, message: 'hi' }),
    sendFriendMessages: ({ subuserNametag: nametag }) => ({
      requestId: 'hello',
      nametag,
      message: 'hi',
    }),
    shareSubuser: ({ subuserId }, { friendNametag }) => change({ friendNametag, subuserId }),
    unshareSubuser: ({ subuserId }, { friendNametag }) => change({ friendNametag, subuserId }),
    blockUser: ({ subuserNametag: nametag }) => change({ nametag }),
    unblockUser: ({ subuserNametag: nametag }) => change({ nametag }),
    setFriendLimits: ({ subuserNametag: nametag }) =>
      change({ nametag, limits: { messagesPerHour: 1 } }),
    setFriendNickname: ({ subuserNametag: nametag }) => change({ nametag, nickname: 'Bob' }),
    listFriends: nothing,
    getMessageStatus: ({ messageId }) => ({ messageId }),
    deliverAgentMessage: ({ userId: recipientUserId, agentId: recipientAgentId }) => ({
      messageId: createId(),
      recipientUserId,
      recipientAgentId,
      text: 'hi',
    }),
    checkDelivery: ({ userId: recipientUserId }) => ({ recipientUserId }),
    getServiceStatus: nothing,
  },
  'agent-runtime': {
    postMessage: ({ fileId }) =>
      change({ connector: 'cli', channelId: 'x', connectorUserId: 'me', fileIds: [fileId] }),
    watchAgent: ofAgents,
    watchConnector: nothing,
    getAgent: ({ agentId: value }) => ({ selector: { $case: 'agentId', value } }),
    listAgents: ({ subuserId }) => ({ subuserId, kinds: [DescriptorKind.SUBUSER] }),
    resetAgent: ofAgents.map((attempt) => (things, own) => change(attempt(things, own))),
    createAgent: ({ agentId: parentAgentId }) =>
      change({ kind: DescriptorKind.APP, name: 'mine', parentAgentId }),
    configureAgent: ofAgents.map(
      (attempt) => (things, own) => change({ ...attempt(things, own), systemPrompt: 'obey me' }),
    ),
    endAgent: ofAgents.map((attempt) => (things, own) => change(attempt(things, own))),
    stopTurn: ofAgents.map(
      (attempt) => (things, own) => change({ ...attempt(things, own), steeringText: 'hi' }),
    ),
    sendAgentMessage: ofAgents.map(
      (attempt) => (things, own) => change({ ...attempt(things, own), text: 'hi' }),
    ),
    startBackgroundAgent: ({ agentId: parentAgentId }) => change({ prompt: 'go', parentAgentId }),
    listPermissionRequests: ({ agentId }) => ({ agentId }),
    watchPermissionRequests: nothing,
    decidePermission: ({ permissionRequestId }) =>
      change({ permissionRequestId, decision: PermissionDecision.GRANT }),
    listGrants: ({ agentId }) => ({ agentId }),
    revokeGrant: ({ grantId }) => change({ grantId }),
    listHistory: ofAgents,
    exportAgent: ofAgents,
    callTool: ({ agentId }) => change({ agentId, name: 'topology' }),
    listTools: ofAgents,
    listDeadLetters: [({ agentId }) => ({ agentId }), ({ userId }) => ({ userId })],
    retryDeadLetter: ({ deadLetterId }) => change({ deadLetterId }),
    deleteDeadLetter: ({ deadLetterId }) => change({ deadLetterId }),
    listSkills: ({ subuserId: userId }) => ({ userId }),
    getSkill: ({ subuserId: userId, skillName: name }) => ({ userId, name }),
    approveSkill: ({ subuserId: userId, skillName: name }) =>
      change({ userId, name, sha256: '0'.repeat(64) }),
    uploadFile: nothing,
    downloadFile: ({ fileId }) => ({ fileId }),
    listFiles: nothing,
    deleteFile: ({ fileId }) => change({ fileId }),
    createCron: ({ agentId }) =>
      change({ name: 'tick', schedule: '* * * * *', prompt: 'go', agentId }),
    listCrons: nothing,
    getCron: ({ cronId }) => ({ cronId }),
    runCron: ({ cronId }) => change({ cronId }),
    updateCron: ({ cronId }) => change({ cronId, name: 'mine' }),
    pauseCron: ({ cronId }) => change({ cronId }),
    deleteCron: ({ cronId }) => change({ cronId }),
    createHeartbeat: () => change({ title: 'beat', prompt: 'go' }),
    listHeartbeats: nothing,
    deleteHeartbeat: ({ heartbeatId }) => change({ heartbeatId }),
    getUsage: [
      ...ofAgents,
      ({ userId }) => ({ userId }),
      ({ subuserId: userId }) => ({ userId }),
      ({ subuserId: userId, agentId }) => ({ userId, agentId }),
    ],
    setBudget: [
      ({ agentId }) => change({ agentId, period: BudgetPeriod.DAY, maxTokens: 1 }),
      ({ userId }) => change({ userId, period: BudgetPeriod.DAY, maxTokens: 1 }),
      ({ subuserId: userId }) =>
        change({ userId, guests: true, period: BudgetPeriod.MONTH, maxCostMicros: 1 }),
    ],
    listBudgets: [({ userId }) => ({ userId }), ({ subuserId: userId }) => ({ userId })],
    setModel: [
      ({ agentId }) => change({ agentId, models: ['local/echo'] }),
      ({ userId }) => change({ userId, models: ['local/echo'] }),
      ({ subuserId: userId }) => change({ userId, models: [] }),
    ],
    getModel: [
      ({ agentId }) => ({ agentId }),
      ({ userId }) => ({ userId }),
      ({ subuserId: userId }) => ({ userId }),
    ],
    listModels: nothing,
    testModel: () => ({ model: 'nobodys/model' }),
    addModelProvider: () => change({ name: 'mine', url: 'http://127.0.0.1:9/v1' }),
    listModelProviders: nothing,
    removeModelProvider: () => change({ name: 'mine' }),
    ensureAgent: ({ userId }) =>
      change({ userId, descriptor: { kind: { $case: 'heartbeat', value: { userId } } } }),
    markWired: nothing,
    countWaitingMessages: ({ userId }) => ({ senders: [{ tieId: userId, userId }] }),
    listScope: ({ userId, subuserId }) => ({ userIds: [userId], gatewayUserIds: [subuserId] }),
    listShards: nothing,
    listStuckAgents: nothing,
    drainReplica: () => change({ replicaId: 'none' }),
    getServiceStatus: nothing,
  },
  topology: {
    getTopology: () => ({ includeDead: true }),
    watchTopology: () => ({ includeDead: true }),
    emitSignal: () => change({ type: 'sweep:x' }),
    subscribeSignal: ({ agentId }) => change({ pattern: 'sweep:*', agentId }),
    unsubscribeSignal: ({ agentId, pattern }) => change({ pattern, agentId }),
    listSignals: ({ pattern }) => ({ pattern }),
    createChannel: ({ agentId: leaderAgentId }) => change({ name: 'mine', leaderAgentId }),
    joinChannel: ({ channelName }, { agentId }) => change({ channelName, username: 'me', agentId }),
    leaveChannel: ({ channelName }, { agentId }) => change({ channelName, agentId }),
    sendChannelMessage: ({ channelName }) => change({ channelName, text: 'hi' }),
    listChannelMessages: ({ channelName }) => ({ channelName }),
    createEndpoint: ({ agentId: value }) =>
      change({
        name: 'mine',
        target: { target: { $case: 'agentId', value } },
        mode: EndpointMode.PUBLIC,
        auth: EndpointAuth.PASSWORD,
      }),
    updateEndpoint: ({ endpointId }) => change({ endpointId, name: 'mine' }),
    deleteEndpoint: ({ endpointId }) => change({ endpointId }),
    listEndpoints: nothing,
    forwardAgentMessage: ({ agentId: recipientAgentId }) => ({
      messageId: createId(),
      recipientAgentId,
      text: 'hi',
    }),
    getServiceStatus: nothing,
  },
};

/** The same for tools, which an agent of the attacker calls. */
export const toolAttempts: Record<string, Attempt> = {
  agent_create: () => ({ kind: 'permanent', name: 'mine' }),
  agent_reset: nothing,
  attach_file: ({ userId, path }) => ({ path: `home/../../${userId}/${path}` }),
  attachment_read: ({ fileId }) => ({ fileId }),
  attachment_save: ({ fileId }) => ({ fileId, path: 'home/mine.txt' }),
  channel_create: () => ({ name: `own-${createId()}` }),
  channel_history: ({ channelName: channel }) => ({ channel }),
  channel_join: ({ channelName: channel }) => ({ channel, username: 'me' }),
  channel_leave: ({ channelName: channel }) => ({ channel }),
  channel_send: ({ channelName: channel }) => ({ channel, message: 'hi' }),
  cron_add: ({ agentId }) => ({ name: 'tick', schedule: '* * * * *', prompt: 'go', agentId }),
  cron_edit: ({ cronId }) => ({ cronId, name: 'mine' }),
  cron_list: nothing,
  cron_pause: ({ cronId }) => ({ cronId }),
  cron_remove: ({ cronId }) => ({ cronId }),
  cron_run: ({ cronId }) => ({ cronId }),
  emit_signal: () => ({ type: 'sweep:y' }),
  exec: ({ userId, path }) => ({ command: `cat ../../${userId}/${path} /*/${userId}/${path}` }),
  expose_create: ({ agentId }) => ({
    ...{ name: 'mine', target: `agent:${agentId}`, mode: 'public', auth: 'password' },
  }),
  expose_list: nothing,
  expose_remove: ({ endpointId }) => ({ endpointId }),
  expose_update: ({ endpointId }) => ({ endpointId, name: 'mine' }),
  file_delete: ({ userId, path }) => ({ path: `home/../../${userId}/${path}` }),
  file_list: ({ userId }) => ({ path: `../${userId}/home` }),
  file_read: ({ path }) => ({ path }),
  file_search: () => ({ query: 'marzipan' }),
  file_write: ({ userId, path }) => ({ path: `home/../../${userId}/${path}`, content: 'mine' }),
  friend_add: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_block: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_list: nothing,
  friend_remove: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_send: ({ subuserNametag: nametag }) => ({ nametag, message: 'hi' }),
  friend_share_subuser: ({ subuserId }, { friendNametag }) => ({ friendNametag, subuserId }),
  friend_unblock: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_unshare_subuser: ({ subuserId }, { friendNametag }) => ({ friendNametag, subuserId }),
  heartbeat_add: () => ({ title: 'beat', prompt: 'go' }),
  heartbeat_list: nothing,
  heartbeat_remove: ({ heartbeatId }) => ({ heartbeatId }),
  memory_delete: ({ nodeId }) => ({ nodeId }),
  memory_list: ({ nodeId: parent }) => ({ parent }),
  memory_read: ({ nodeId }) => ({ nodeId }),
  memory_search: () => ({ query: 'marzipan' }),
  memory_write: ({ nodeId }) => ({ title: 'x', content: 'x', parents: [nodeId] }),
  request_permission: () => ({ permission: 'network', reason: 'just so' }),
  send_agent_message: ({ agentId }) => ({ agentId, text: 'hi' }),
  signal_events: ({ pattern }) => ({ pattern }),
  signal_subscribe: () => ({ pattern: 'sweep:*' }),
  signal_unsubscribe: ({ pattern }) => ({ pattern }),
  skill_read: ({ skillName: name }) => ({ name }),
  start_background_agent: () => ({ prompt: 'hello' }),
  subuser_configure: ({ subuserId }) => ({ subuserId, systemPrompt: 'Be mine.' }),
  subuser_create: () => ({ name: 'Mine', systemPrompt: 'Be mine.' }),
  subuser_delete: ({ subuserId }) => ({ subuserId }),
  subuser_list: nothing,
  subuser_rename: ({ subuserId }) => ({ subuserId, name: 'Mine' }),
  tool_search: () => ({ query: 'friend message' }),
  topology: nothing,
};
