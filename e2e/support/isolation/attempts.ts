import { createId } from '@daycare/api/create-id';
import type { ServiceName } from '@daycare/contracts/access';
import { BudgetPeriod, DescriptorKind, PermissionDecision } from '@daycare/contracts/agent-runtime';
import { EndpointAuth, EndpointMode } from '@daycare/contracts/topology';

/** Ids and names of a user's resources, or of resources that do not exist. */
export interface Resources {
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

/** The attacker's own agent and friend, which attempts name in their other fields, to get as far as possible. */
export interface AttackerResources {
  readonly friendNametag: string;
  readonly agentId: string;
}

/** A request, or the arguments of a tool; omitted fields are empty. */
export type Attempt = (resources: Resources, own: AttackerResources) => object;

const noArguments: Attempt = () => ({});
/** Attempts that name the victim's own agent, and the gateway of the victim's subuser. */
const onAgents: readonly Attempt[] = [
  ({ agentId }) => ({ agentId }),
  ({ gatewayId: agentId }) => ({ agentId }),
];
const withRequestId = (request: object) => ({ requestId: createId(), ...request });

/** Attempts to call each RPC with another user's resources. The test fails for an RPC that is not listed. */
export const rpcAttempts: Record<ServiceName, Record<string, Attempt | readonly Attempt[]>> = {
  identity: {
    createUser: () => withRequestId({ name: 'Somebody' }),
    getUser: ({ userId }) => ({ userId }),
    batchGetUsers: ({ userId, subuserId }) => ({ userIds: [userId, subuserId] }),
    resolveNametag: ({ subuserNametag: nametag }) => ({ nametag }),
    resolveConnectorKey: () => withRequestId({ connector: 'telegram', key: '1', name: 'Somebody' }),
    createSubuser: () => withRequestId({ name: 'Mine' }),
    listSubusers: noArguments,
    renameSubuser: ({ subuserId }) => withRequestId({ subuserId, name: 'Mine' }),
    deleteSubuser: ({ subuserId }) => withRequestId({ subuserId }),
    deleteUser: ({ userId }) => withRequestId({ userId }),
    updateUser: ({ userId }) => withRequestId({ userId, timeZone: 'Asia/Tokyo' }),
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
      withRequestId({ name: 'mine', scopes: ['agents:read'], subuserId }),
    listAccessTokens: noArguments,
    revokeAccessToken: ({ accessTokenId: tokenId }) => ({ tokenId }),
    exchangeAccessToken: () => ({ secret: 'dcp_none' }),
    createSignInCode: ({ userId }) => ({ userId }),
    exchangeSignInCode: () => ({ code: 'dcc_none' }),
    listSignInProviders: noArguments,
    beginSignIn: () => ({ provider: 'none', redirectUri: 'https://example.org/' }),
    completeSignIn: () => ({ query: 'code=none&state=none', browserSecret: 'none' }),
    rotateSigningKey: () => withRequestId({ removeOthers: true }),
    getJwks: noArguments,
    listUsers: noArguments,
    getServiceStatus: noArguments,
  },
  'social-graph': {
    addFriend: ({ subuserNametag: nametag }) => withRequestId({ nametag }),
    removeFriend: ({ subuserNametag: nametag }) => withRequestId({ nametag }),
    sendFriendMessage: ({ subuserNametag: nametag }) => withRequestId({ nametag, message: 'hi' }),
    sendFriendMessages: ({ subuserNametag: nametag }) => ({
      requestId: 'hello',
      nametag,
      message: 'hi',
    }),
    shareSubuser: ({ subuserId }, { friendNametag }) => withRequestId({ friendNametag, subuserId }),
    unshareSubuser: ({ subuserId }, { friendNametag }) =>
      withRequestId({ friendNametag, subuserId }),
    blockUser: ({ subuserNametag: nametag }) => withRequestId({ nametag }),
    unblockUser: ({ subuserNametag: nametag }) => withRequestId({ nametag }),
    setFriendLimits: ({ subuserNametag: nametag }) =>
      withRequestId({ nametag, limits: { messagesPerHour: 1 } }),
    setFriendNickname: ({ subuserNametag: nametag }) => withRequestId({ nametag, nickname: 'Bob' }),
    listFriends: noArguments,
    getMessageStatus: ({ messageId }) => ({ messageId }),
    deliverAgentMessage: ({ userId: recipientUserId, agentId: recipientAgentId }) => ({
      messageId: createId(),
      recipientUserId,
      recipientAgentId,
      text: 'hi',
    }),
    checkDelivery: ({ userId: recipientUserId }) => ({ recipientUserId }),
    getServiceStatus: noArguments,
  },
  'agent-runtime': {
    postMessage: ({ fileId }) =>
      withRequestId({ connector: 'cli', channelId: 'x', connectorUserId: 'me', fileIds: [fileId] }),
    watchAgent: onAgents,
    watchConnector: noArguments,
    getAgent: ({ agentId: value }) => ({ selector: { $case: 'agentId', value } }),
    listAgents: ({ subuserId }) => ({ subuserId, kinds: [DescriptorKind.SUBUSER] }),
    resetAgent: onAgents.map(
      (attempt) => (resources, own) => withRequestId(attempt(resources, own)),
    ),
    createAgent: ({ agentId: parentAgentId }) =>
      withRequestId({ kind: DescriptorKind.APP, name: 'mine', parentAgentId }),
    configureAgent: onAgents.map(
      (attempt) => (resources, own) =>
        withRequestId({ ...attempt(resources, own), systemPrompt: 'obey me' }),
    ),
    endAgent: onAgents.map((attempt) => (resources, own) => withRequestId(attempt(resources, own))),
    stopTurn: onAgents.map(
      (attempt) => (resources, own) =>
        withRequestId({ ...attempt(resources, own), steeringText: 'hi' }),
    ),
    sendAgentMessage: onAgents.map(
      (attempt) => (resources, own) => withRequestId({ ...attempt(resources, own), text: 'hi' }),
    ),
    startBackgroundAgent: ({ agentId: parentAgentId }) =>
      withRequestId({ prompt: 'go', parentAgentId }),
    listPermissionRequests: ({ agentId }) => ({ agentId }),
    watchPermissionRequests: noArguments,
    decidePermission: ({ permissionRequestId }) =>
      withRequestId({ permissionRequestId, decision: PermissionDecision.GRANT }),
    listGrants: ({ agentId }) => ({ agentId }),
    revokeGrant: ({ grantId }) => withRequestId({ grantId }),
    listHistory: onAgents,
    exportAgent: onAgents,
    callTool: ({ agentId }) => withRequestId({ agentId, name: 'topology' }),
    listTools: onAgents,
    listDeadLetters: [({ agentId }) => ({ agentId }), ({ userId }) => ({ userId })],
    retryDeadLetter: ({ deadLetterId }) => withRequestId({ deadLetterId }),
    deleteDeadLetter: ({ deadLetterId }) => withRequestId({ deadLetterId }),
    listSkills: ({ subuserId: userId }) => ({ userId }),
    getSkill: ({ subuserId: userId, skillName: name }) => ({ userId, name }),
    approveSkill: ({ subuserId: userId, skillName: name }) =>
      withRequestId({ userId, name, sha256: '0'.repeat(64) }),
    uploadFile: noArguments,
    downloadFile: ({ fileId }) => ({ fileId }),
    listFiles: noArguments,
    deleteFile: ({ fileId }) => withRequestId({ fileId }),
    createCron: ({ agentId }) =>
      withRequestId({ name: 'tick', schedule: '* * * * *', prompt: 'go', agentId }),
    listCrons: noArguments,
    getCron: ({ cronId }) => ({ cronId }),
    runCron: ({ cronId }) => withRequestId({ cronId }),
    updateCron: ({ cronId }) => withRequestId({ cronId, name: 'mine' }),
    pauseCron: ({ cronId }) => withRequestId({ cronId }),
    deleteCron: ({ cronId }) => withRequestId({ cronId }),
    createHeartbeat: () => withRequestId({ title: 'beat', prompt: 'go' }),
    listHeartbeats: noArguments,
    deleteHeartbeat: ({ heartbeatId }) => withRequestId({ heartbeatId }),
    getUsage: [
      ...onAgents,
      ({ userId }) => ({ userId }),
      ({ subuserId: userId }) => ({ userId }),
      ({ subuserId: userId, agentId }) => ({ userId, agentId }),
    ],
    setBudget: [
      ({ agentId }) => withRequestId({ agentId, period: BudgetPeriod.DAY, maxTokens: 1 }),
      ({ userId }) => withRequestId({ userId, period: BudgetPeriod.DAY, maxTokens: 1 }),
      ({ subuserId: userId }) =>
        withRequestId({ userId, guests: true, period: BudgetPeriod.MONTH, maxCostMicros: 1 }),
    ],
    listBudgets: [({ userId }) => ({ userId }), ({ subuserId: userId }) => ({ userId })],
    setModel: [
      ({ agentId }) => withRequestId({ agentId, models: ['local/echo'] }),
      ({ userId }) => withRequestId({ userId, models: ['local/echo'] }),
      ({ subuserId: userId }) => withRequestId({ userId, models: [] }),
    ],
    getModel: [
      ({ agentId }) => ({ agentId }),
      ({ userId }) => ({ userId }),
      ({ subuserId: userId }) => ({ userId }),
    ],
    listModels: noArguments,
    testModel: () => ({ model: 'nobodys/model' }),
    addModelProvider: () => withRequestId({ name: 'mine', url: 'http://127.0.0.1:9/v1' }),
    listModelProviders: noArguments,
    removeModelProvider: () => withRequestId({ name: 'mine' }),
    ensureAgent: ({ userId }) =>
      withRequestId({ userId, descriptor: { kind: { $case: 'heartbeat', value: { userId } } } }),
    markWired: noArguments,
    countWaitingMessages: ({ userId }) => ({ senders: [{ tieId: userId, userId }] }),
    listScope: ({ userId, subuserId }) => ({ userIds: [userId], gatewayUserIds: [subuserId] }),
    listShards: noArguments,
    listStuckAgents: noArguments,
    drainReplica: () => withRequestId({ replicaId: 'none' }),
    getServiceStatus: noArguments,
  },
  topology: {
    getTopology: () => ({ includeDead: true }),
    watchTopology: () => ({ includeDead: true }),
    emitSignal: () => withRequestId({ type: 'sweep:x' }),
    subscribeSignal: ({ agentId }) => withRequestId({ pattern: 'sweep:*', agentId }),
    unsubscribeSignal: ({ agentId, pattern }) => withRequestId({ pattern, agentId }),
    listSignals: ({ pattern }) => ({ pattern }),
    createChannel: ({ agentId: leaderAgentId }) => withRequestId({ name: 'mine', leaderAgentId }),
    joinChannel: ({ channelName }, { agentId }) =>
      withRequestId({ channelName, username: 'me', agentId }),
    leaveChannel: ({ channelName }, { agentId }) => withRequestId({ channelName, agentId }),
    sendChannelMessage: ({ channelName }) => withRequestId({ channelName, text: 'hi' }),
    listChannelMessages: ({ channelName }) => ({ channelName }),
    createEndpoint: ({ agentId: value }) =>
      withRequestId({
        name: 'mine',
        target: { target: { $case: 'agentId', value } },
        mode: EndpointMode.PUBLIC,
        auth: EndpointAuth.PASSWORD,
      }),
    updateEndpoint: ({ endpointId }) => withRequestId({ endpointId, name: 'mine' }),
    deleteEndpoint: ({ endpointId }) => withRequestId({ endpointId }),
    listEndpoints: noArguments,
    forwardAgentMessage: ({ agentId: recipientAgentId }) => ({
      messageId: createId(),
      recipientAgentId,
      text: 'hi',
    }),
    getServiceStatus: noArguments,
  },
};

/** Attempts to have the attacker's agent call each tool with another user's resources. */
export const toolAttempts: Record<string, Attempt> = {
  agent_create: () => ({ kind: 'permanent', name: 'mine' }),
  agent_reset: noArguments,
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
  cron_list: noArguments,
  cron_pause: ({ cronId }) => ({ cronId }),
  cron_remove: ({ cronId }) => ({ cronId }),
  cron_run: ({ cronId }) => ({ cronId }),
  emit_signal: () => ({ type: 'sweep:y' }),
  exec: ({ userId, path }) => ({ command: `cat ../../${userId}/${path} /*/${userId}/${path}` }),
  expose_create: ({ agentId }) => ({
    name: 'mine',
    target: `agent:${agentId}`,
    mode: 'public',
    auth: 'password',
  }),
  expose_list: noArguments,
  expose_remove: ({ endpointId }) => ({ endpointId }),
  expose_update: ({ endpointId }) => ({ endpointId, name: 'mine' }),
  file_delete: ({ userId, path }) => ({ path: `home/../../${userId}/${path}` }),
  file_list: ({ userId }) => ({ path: `../${userId}/home` }),
  file_read: ({ path }) => ({ path }),
  file_search: () => ({ query: 'marzipan' }),
  file_write: ({ userId, path }) => ({ path: `home/../../${userId}/${path}`, content: 'mine' }),
  friend_add: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_block: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_list: noArguments,
  friend_remove: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_send: ({ subuserNametag: nametag }) => ({ nametag, message: 'hi' }),
  friend_share_subuser: ({ subuserId }, { friendNametag }) => ({ friendNametag, subuserId }),
  friend_unblock: ({ subuserNametag: nametag }) => ({ nametag }),
  friend_unshare_subuser: ({ subuserId }, { friendNametag }) => ({ friendNametag, subuserId }),
  heartbeat_add: () => ({ title: 'beat', prompt: 'go' }),
  heartbeat_list: noArguments,
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
  subuser_list: noArguments,
  subuser_rename: ({ subuserId }) => ({ subuserId, name: 'Mine' }),
  tool_search: () => ({ query: 'friend message' }),
  topology: noArguments,
};
