import type { AgentRuntimeServiceService } from './agent-runtime';
import type { IdentityServiceService } from './identity';
import type { SocialGraphServiceService } from './social-graph';
import type { TopologyServiceService } from './topology';

export type ServiceName = 'identity' | 'social-graph' | 'agent-runtime' | 'topology';

/**
 * Who may make a call. `user` is a top-level user or an agent of one, directly or through a service
 * that acts for it; `person` is the user without an agent: what only a human may decide. `subuser` is
 * as `user`, for subusers. `client` and `admin` hold a credential.
 */
export type Role =
  | 'anyone'
  | 'user'
  | 'person'
  | 'subuser'
  | 'client'
  | 'admin'
  | 'service'
  | `service:${ServiceName}`;

/** Every RPC of a service with the roles that may call it. An RPC without an entry does not compile. */
export type AccessTable<S> = { readonly [method in keyof S]: readonly Role[] };

const owners = ['user'] as const;
const agents = ['user', 'subuser'] as const;

export const identityAccess: AccessTable<typeof IdentityServiceService> = {
  createUser: ['admin', 'client'],
  getUser: ['user', 'subuser', 'service', 'admin'],
  batchGetUsers: ['service', 'admin'],
  // Not for users: it would tell who exists, and which nametags are subusers'.
  resolveNametag: ['service', 'admin'],
  resolveConnectorKey: ['admin', 'client'],
  createSubuser: owners,
  listSubusers: owners,
  renameSubuser: owners,
  deleteSubuser: owners,
  deleteUser: ['person', 'admin'],
  issueToken: ['admin', 'client', 'service'],
  // The token in the request is the proof.
  refreshToken: ['anyone'],
  revokeToken: ['anyone'],
  getJwks: ['anyone'],
};

export const socialGraphAccess: AccessTable<typeof SocialGraphServiceService> = {
  addFriend: owners,
  removeFriend: owners,
  sendFriendMessage: owners,
  shareSubuser: owners,
  unshareSubuser: owners,
  blockUser: owners,
  unblockUser: owners,
  listFriends: owners,
  getMessageStatus: owners,
  checkDelivery: ['service:agent-runtime', 'service:topology'],
};

export const agentRuntimeAccess: AccessTable<typeof AgentRuntimeServiceService> = {
  // Not for agents: these are a person's words.
  postMessage: ['person'],
  watchAgent: agents,
  getAgent: agents,
  listAgents: agents,
  resetAgent: agents,
  sendAgentMessage: agents,
  startBackgroundAgent: agents,
  listPermissionRequests: agents,
  watchPermissionRequests: ['person'],
  decidePermission: ['person'],
  listHistory: agents,
  exportAgent: agents,
  callTool: agents,
  listTools: agents,
  listDeadLetters: ['user', 'subuser', 'admin'],
  retryDeadLetter: ['user', 'subuser', 'admin'],
  uploadFile: agents,
  downloadFile: agents,
  createCron: agents,
  listCrons: agents,
  pauseCron: agents,
  deleteCron: agents,
  createHeartbeat: agents,
  listHeartbeats: agents,
  deleteHeartbeat: agents,
  ensureAgent: ['service:identity', 'service:social-graph', 'service:topology'],
  listScope: ['service:topology', 'service:social-graph'],
};

export const topologyAccess: AccessTable<typeof TopologyServiceService> = {
  getTopology: agents,
  watchTopology: agents,
  emitSignal: agents,
  subscribeSignal: agents,
  unsubscribeSignal: agents,
  listSignals: agents,
  createChannel: agents,
  joinChannel: agents,
  leaveChannel: agents,
  sendChannelMessage: agents,
  listChannelMessages: agents,
  createEndpoint: agents,
  updateEndpoint: agents,
  deleteEndpoint: agents,
  listEndpoints: agents,
};
