import type { AgentRuntimeServiceService } from './agent-runtime';
import type { IdentityServiceService } from './identity';
import type { SocialGraphServiceService } from './social-graph';
import type { TopologyServiceService } from './topology';

export type ServiceName = 'identity' | 'social-graph' | 'agent-runtime' | 'topology';

/**
 * Who may make a call. `user` is a top-level user or an agent of one, directly or through a service that acts
 * for it; `person` excludes agents and such services, for what only a human may decide. `subuser` is the same
 * as `user`, for subusers. `user:<service>` is a `user` for whom that service acts. `client` and `admin` hold a
 * credential.
 */
export type Role =
  | 'anyone'
  | 'user'
  | 'person'
  | 'subuser'
  | 'client'
  | 'admin'
  | 'service'
  | `user:${ServiceName}`
  | `service:${ServiceName}`;

/** Every RPC of a service with the roles that may call it. An RPC without an entry does not compile. */
export type AccessTable<S> = { readonly [method in keyof S]: readonly Role[] };

const owners = ['user'] as const;
const agents = ['user', 'subuser'] as const;

export const identityAccess: AccessTable<typeof IdentityServiceService> = {
  createUser: ['admin', 'client'],
  getUser: ['user', 'subuser', 'service', 'admin'],
  batchGetUsers: ['service', 'admin'],
  // Not for users: it would reveal which nametags exist and which belong to subusers.
  resolveNametag: ['service', 'admin'],
  resolveConnectorKey: ['admin', 'client'],
  createSubuser: owners,
  listSubusers: owners,
  renameSubuser: owners,
  deleteSubuser: owners,
  deleteUser: ['person', 'admin'],
  updateUser: ['person', 'admin'],
  issueToken: ['admin', 'client', 'service'],
  // The token in the request authenticates the call.
  refreshToken: ['anyone'],
  revokeToken: ['anyone'],
  listSessions: ['person', 'admin'],
  revokeSessions: ['person', 'admin'],
  // Only for a person: agents and services could otherwise obtain rights that were never granted to them.
  createAccessToken: ['person', 'admin'],
  listAccessTokens: ['person', 'admin'],
  revokeAccessToken: ['person', 'admin'],
  // The secret in the request authenticates the call.
  exchangeAccessToken: ['anyone'],
  createSignInCode: ['person', 'admin'],
  // The code, or the browser's secret and the provider's answer, authenticate these calls.
  exchangeSignInCode: ['anyone'],
  listSignInProviders: ['anyone'],
  beginSignIn: ['anyone'],
  completeSignIn: ['anyone'],
  rotateSigningKey: ['admin'],
  getJwks: ['anyone'],
  listUsers: ['admin'],
  getServiceStatus: ['admin'],
};

export const socialGraphAccess: AccessTable<typeof SocialGraphServiceService> = {
  // Not for agents with a token of their own: only agent-runtime knows the agent's turn, and thus whether it
  // may accept a friendship.
  addFriend: ['person', 'user:agent-runtime'],
  removeFriend: owners,
  sendFriendMessage: owners,
  sendFriendMessages: owners,
  shareSubuser: owners,
  unshareSubuser: owners,
  blockUser: owners,
  unblockUser: owners,
  // Not for agents: a friend's message must not be able to lift the limits.
  setFriendLimits: ['person'],
  // Not for agents: only people see the nickname.
  setFriendNickname: ['person'],
  listFriends: owners,
  getMessageStatus: owners,
  deliverAgentMessage: ['service:agent-runtime'],
  checkDelivery: ['service:agent-runtime', 'service:topology'],
  getServiceStatus: ['admin'],
};

export const agentRuntimeAccess: AccessTable<typeof AgentRuntimeServiceService> = {
  // Not for agents: only a person speaks as the user.
  postMessage: ['person'],
  watchAgent: agents,
  watchConnector: ['client'],
  getAgent: agents,
  listAgents: agents,
  resetAgent: agents,
  stopTurn: ['person'],
  createAgent: ['person'],
  configureAgent: ['person'],
  endAgent: ['person'],
  sendAgentMessage: agents,
  startBackgroundAgent: agents,
  listPermissionRequests: agents,
  watchPermissionRequests: ['person'],
  decidePermission: ['person'],
  listGrants: agents,
  // Like `decidePermission`: only a person may take back what a person has allowed.
  revokeGrant: ['person'],
  listHistory: agents,
  exportAgent: agents,
  callTool: agents,
  listTools: agents,
  listDeadLetters: ['user', 'subuser', 'admin'],
  retryDeadLetter: ['user', 'subuser', 'admin'],
  deleteDeadLetter: ['user', 'subuser', 'admin'],
  listSkills: ['person'],
  getSkill: ['person'],
  approveSkill: ['person'],
  uploadFile: agents,
  downloadFile: agents,
  listFiles: agents,
  deleteFile: agents,
  createCron: agents,
  listCrons: agents,
  getCron: agents,
  runCron: agents,
  updateCron: agents,
  pauseCron: agents,
  deleteCron: agents,
  createHeartbeat: agents,
  listHeartbeats: agents,
  deleteHeartbeat: agents,
  getUsage: ['user', 'subuser', 'admin'],
  // Not for agents: they must not raise their own limits.
  setBudget: ['person', 'admin'],
  listBudgets: ['user', 'subuser', 'admin'],
  // Not for agents: a friend's message must not change what the user pays for, or cause test calls.
  setModel: ['person', 'admin'],
  getModel: ['user', 'subuser', 'admin'],
  listModels: ['user', 'subuser', 'admin'],
  testModel: ['person', 'admin'],
  // The operator decides whose keys are used and where prompts are sent.
  addModelProvider: ['admin'],
  listModelProviders: ['admin'],
  removeModelProvider: ['admin'],
  ensureAgent: ['service:identity', 'service:social-graph', 'service:topology'],
  markWired: ['service:topology'],
  countWaitingMessages: ['service:social-graph'],
  listScope: ['service:topology', 'service:social-graph'],
  listShards: ['admin'],
  listStuckAgents: ['admin'],
  drainReplica: ['admin'],
  getServiceStatus: ['admin'],
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
  forwardAgentMessage: ['service:agent-runtime'],
  getServiceStatus: ['admin'],
};

/** The table of each service, by the full name of the service in proto/. */
export const accessTables: Readonly<Record<string, Readonly<Record<string, readonly Role[]>>>> = {
  'daycare.identity.v1.IdentityService': identityAccess,
  'daycare.social_graph.v1.SocialGraphService': socialGraphAccess,
  'daycare.agent_runtime.v1.AgentRuntimeService': agentRuntimeAccess,
  'daycare.topology.v1.TopologyService': topologyAccess,
};

/**
 * Whether anyone but services may make a call that is open to these roles; the gateway offers only such
 * calls.
 */
export function isPublic(roles: readonly Role[]): boolean {
  return roles.some((role) => role !== 'service' && !role.includes(':'));
}
