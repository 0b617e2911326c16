import type { AgentRuntimeServiceService } from './agent-runtime';
import type { IdentityServiceService } from './identity';
import type { SocialGraphServiceService } from './social-graph';
import type { TopologyServiceService } from './topology';

export type ServiceName = 'identity' | 'social-graph' | 'agent-runtime' | 'topology';

/**
 * Who may make a call. `user` is a top-level user or one of their agents, calling directly or through a service that
 * acts for them; `person` excludes agents and such services, for decisions that only a human may make. `subuser` is the
 * equivalent of `user` for subusers. `user:<service>` is a `user` for whom that service acts. `service` is any service
 * acting for itself; `service:<service>` is that service, acting for itself or for a user. `client` and `admin` are
 * callers with such a credential.
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

/** A service's RPCs, each with the roles that may call it. An RPC without an entry does not compile. */
export type AccessTable<S> = { readonly [method in keyof S]: readonly Role[] };

const topLevelUsers = ['user'] as const;
const allUsers = ['user', 'subuser'] as const;

export const identityAccess: AccessTable<typeof IdentityServiceService> = {
  createUser: ['admin', 'client'],
  getUser: ['user', 'subuser', 'service', 'admin'],
  batchGetUsers: ['service', 'admin'],
  // Not for users: it would reveal which nametags exist and which belong to subusers.
  resolveNametag: ['service', 'admin'],
  resolveConnectorKey: ['admin', 'client'],
  createSubuser: topLevelUsers,
  listSubusers: topLevelUsers,
  renameSubuser: topLevelUsers,
  deleteSubuser: topLevelUsers,
  deleteUser: ['person', 'admin'],
  updateUser: ['person', 'admin'],
  issueToken: ['admin', 'client', 'service'],
  // The token in the request authenticates the call.
  refreshToken: ['anyone'],
  revokeToken: ['anyone'],
  listSessions: ['person', 'admin'],
  revokeSessions: ['person', 'admin'],
  // Not for agents and services, which could otherwise obtain rights that were never granted to them.
  createAccessToken: ['person', 'admin'],
  listAccessTokens: ['person', 'admin'],
  revokeAccessToken: ['person', 'admin'],
  // The secret in the request authenticates the call.
  exchangeAccessToken: ['anyone'],
  createSignInCode: ['person', 'admin'],
  // `exchangeSignInCode` is authenticated by the code, `completeSignIn` by the browser's secret and the provider's
  // response.
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
  // Not for agents that call with their own token: only agent-runtime knows which turn an agent is in, and thus
  // whether the agent may accept a friendship.
  addFriend: ['person', 'user:agent-runtime'],
  removeFriend: topLevelUsers,
  sendFriendMessage: topLevelUsers,
  sendFriendMessages: topLevelUsers,
  shareSubuser: topLevelUsers,
  unshareSubuser: topLevelUsers,
  blockUser: topLevelUsers,
  unblockUser: topLevelUsers,
  // Not for agents: a friend's message must not be able to lift the limits.
  setFriendLimits: ['person'],
  // Not for agents: the nickname is shown only to people.
  setFriendNickname: ['person'],
  listFriends: topLevelUsers,
  getMessageStatus: topLevelUsers,
  deliverAgentMessage: ['service:agent-runtime'],
  checkDelivery: ['service:agent-runtime'],
  getServiceStatus: ['admin'],
};

export const agentRuntimeAccess: AccessTable<typeof AgentRuntimeServiceService> = {
  // Not for agents: only a person may speak as the user.
  postMessage: ['person'],
  watchAgent: allUsers,
  watchConnector: ['client'],
  getAgent: allUsers,
  listAgents: allUsers,
  resetAgent: allUsers,
  stopTurn: ['person'],
  createAgent: ['person'],
  configureAgent: ['person'],
  endAgent: ['person'],
  sendAgentMessage: allUsers,
  startBackgroundAgent: allUsers,
  listPermissionRequests: allUsers,
  watchPermissionRequests: ['person'],
  decidePermission: ['person'],
  listGrants: allUsers,
  // Like `decidePermission`: only a person may revoke what a person has allowed.
  revokeGrant: ['person'],
  listHistory: allUsers,
  exportAgent: allUsers,
  callTool: allUsers,
  listTools: allUsers,
  listDeadLetters: ['user', 'subuser', 'admin'],
  retryDeadLetter: ['user', 'subuser', 'admin'],
  deleteDeadLetter: ['user', 'subuser', 'admin'],
  listSkills: ['person'],
  getSkill: ['person'],
  approveSkill: ['person'],
  uploadFile: allUsers,
  downloadFile: allUsers,
  listFiles: allUsers,
  deleteFile: allUsers,
  createCron: allUsers,
  listCrons: allUsers,
  getCron: allUsers,
  runCron: allUsers,
  updateCron: allUsers,
  pauseCron: allUsers,
  deleteCron: allUsers,
  createHeartbeat: allUsers,
  listHeartbeats: allUsers,
  deleteHeartbeat: allUsers,
  getUsage: ['user', 'subuser', 'admin'],
  // Not for agents: they must not raise their own limits.
  setBudget: ['person', 'admin'],
  listBudgets: ['user', 'subuser', 'admin'],
  // Not for agents: a friend's message must not be able to change what the user pays for or to trigger test calls.
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
  listScope: ['service:topology'],
  listShards: ['admin'],
  listStuckAgents: ['admin'],
  drainReplica: ['admin'],
  getServiceStatus: ['admin'],
};

export const topologyAccess: AccessTable<typeof TopologyServiceService> = {
  getTopology: allUsers,
  watchTopology: allUsers,
  emitSignal: allUsers,
  subscribeSignal: allUsers,
  unsubscribeSignal: allUsers,
  listSignals: allUsers,
  createChannel: allUsers,
  joinChannel: allUsers,
  leaveChannel: allUsers,
  sendChannelMessage: allUsers,
  listChannelMessages: allUsers,
  createEndpoint: allUsers,
  updateEndpoint: allUsers,
  deleteEndpoint: allUsers,
  listEndpoints: allUsers,
  forwardAgentMessage: ['service:agent-runtime'],
  getServiceStatus: ['admin'],
};

/** Every service's access table, by the service's full name in proto/. */
export const accessTables: Readonly<Record<string, Readonly<Record<string, readonly Role[]>>>> = {
  'daycare.identity.v1.IdentityService': identityAccess,
  'daycare.social_graph.v1.SocialGraphService': socialGraphAccess,
  'daycare.agent_runtime.v1.AgentRuntimeService': agentRuntimeAccess,
  'daycare.topology.v1.TopologyService': topologyAccess,
};

/**
 * Reports whether an RPC that is open to these roles may be called by anyone other than a service. The gateway offers
 * only such RPCs.
 */
export function isPublic(roles: readonly Role[]): boolean {
  return roles.some((role) => role !== 'service' && !role.includes(':'));
}
