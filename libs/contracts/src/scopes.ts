import {
  agentRuntimeAccess,
  identityAccess,
  socialGraphAccess,
  topologyAccess,
  type AccessTable,
} from './access';
import type { AgentRuntimeServiceService } from './agent-runtime';
import type { IdentityServiceService } from './identity';
import type { SocialGraphServiceService } from './social-graph';
import type { TopologyServiceService } from './topology';

/** The scopes to which a personal access token may be limited. `admin` is for operators' tokens. */
export const tokenScopes = [
  'agents:read',
  'agents:talk',
  'friends',
  'subusers',
  'permissions:decide',
  'admin',
] as const;

export type TokenScope = (typeof tokenScopes)[number];

export function isTokenScope(text: unknown): text is TokenScope {
  return tokenScopes.some((scope) => scope === text);
}

/**
 * The scope that a personal access token needs for an RPC, in addition to a role that may call it. `any` is satisfied
 * by every personal access token, `none` by none of them. Callers that do not use a personal access token, such as a
 * person who has signed in or a service, need no scope.
 */
export type ScopeRule = TokenScope | 'any' | 'none';

/** A service's RPCs, each with the scope it requires. An RPC without an entry does not compile. */
export type ScopeTable<S> = { readonly [method in keyof S]: ScopeRule };

/** The rules that decide who may call a service's RPCs. */
export interface AccessRules<S> {
  readonly roles: AccessTable<S>;
  readonly scopes: ScopeTable<S>;
}

const read = 'agents:read';
const talk = 'agents:talk';
const decide = 'permissions:decide';

export const identityScopes: ScopeTable<typeof IdentityServiceService> = {
  createUser: 'admin',
  getUser: 'any',
  batchGetUsers: 'admin',
  resolveNametag: 'admin',
  resolveConnectorKey: 'admin',
  createSubuser: 'subusers',
  listSubusers: 'subusers',
  renameSubuser: 'subusers',
  deleteSubuser: 'subusers',
  // A leaked token must not be able to delete the account.
  deleteUser: 'none',
  updateUser: talk,
  // A token must not be exchanged for rights that it lacks, or for a token that outlives it.
  issueToken: 'none',
  refreshToken: 'any',
  revokeToken: 'any',
  // Operators may list sessions with a token; a person must sign in, because a person's token never has this scope.
  listSessions: 'admin',
  revokeSessions: 'none',
  // A token must neither create other tokens nor list or revoke them.
  createAccessToken: 'none',
  listAccessTokens: 'none',
  revokeAccessToken: 'none',
  exchangeAccessToken: 'any',
  createSignInCode: 'none',
  exchangeSignInCode: 'any',
  listSignInProviders: 'any',
  beginSignIn: 'any',
  completeSignIn: 'any',
  rotateSigningKey: 'admin',
  getJwks: 'any',
  listUsers: 'admin',
  getServiceStatus: 'admin',
};

export const socialGraphScopes: ScopeTable<typeof SocialGraphServiceService> = {
  addFriend: 'friends',
  removeFriend: 'friends',
  sendFriendMessage: 'friends',
  sendFriendMessages: 'friends',
  shareSubuser: 'subusers',
  unshareSubuser: 'subusers',
  blockUser: 'friends',
  unblockUser: 'friends',
  setFriendLimits: 'friends',
  setFriendNickname: 'friends',
  listFriends: 'friends',
  getMessageStatus: 'friends',
  deliverAgentMessage: 'none',
  checkDelivery: 'none',
  getServiceStatus: 'admin',
};

export const agentRuntimeScopes: ScopeTable<typeof AgentRuntimeServiceService> = {
  postMessage: talk,
  watchAgent: read,
  watchConnector: 'none',
  getAgent: read,
  listAgents: read,
  resetAgent: talk,
  stopTurn: talk,
  createAgent: talk,
  // Policies decide which tools run without asking.
  configureAgent: decide,
  endAgent: talk,
  sendAgentMessage: talk,
  startBackgroundAgent: talk,
  listPermissionRequests: read,
  watchPermissionRequests: read,
  decidePermission: decide,
  listGrants: read,
  revokeGrant: decide,
  listHistory: read,
  exportAgent: read,
  // This call runs any tool with a person's trust and without a model in between.
  callTool: 'none',
  listTools: read,
  listDeadLetters: read,
  retryDeadLetter: talk,
  deleteDeadLetter: talk,
  listSkills: read,
  getSkill: read,
  approveSkill: decide,
  uploadFile: talk,
  downloadFile: read,
  listFiles: read,
  deleteFile: talk,
  createCron: talk,
  listCrons: read,
  getCron: read,
  runCron: talk,
  updateCron: talk,
  pauseCron: talk,
  deleteCron: talk,
  createHeartbeat: talk,
  listHeartbeats: read,
  deleteHeartbeat: talk,
  getUsage: read,
  // As with permissions, the person decides how much is spent.
  setBudget: decide,
  listBudgets: read,
  setModel: decide,
  getModel: read,
  listModels: read,
  testModel: decide,
  addModelProvider: 'admin',
  listModelProviders: 'admin',
  removeModelProvider: 'admin',
  ensureAgent: 'none',
  markWired: 'none',
  countWaitingMessages: 'none',
  listScope: 'none',
  listShards: 'admin',
  listStuckAgents: 'admin',
  drainReplica: 'admin',
  getServiceStatus: 'admin',
};

export const topologyScopes: ScopeTable<typeof TopologyServiceService> = {
  getTopology: read,
  watchTopology: read,
  emitSignal: talk,
  subscribeSignal: talk,
  unsubscribeSignal: talk,
  listSignals: read,
  createChannel: talk,
  joinChannel: talk,
  leaveChannel: talk,
  sendChannelMessage: talk,
  listChannelMessages: read,
  createEndpoint: talk,
  updateEndpoint: talk,
  deleteEndpoint: talk,
  listEndpoints: read,
  forwardAgentMessage: 'none',
  getServiceStatus: 'admin',
};

export const identityRules = { roles: identityAccess, scopes: identityScopes };
export const socialGraphRules = { roles: socialGraphAccess, scopes: socialGraphScopes };
export const agentRuntimeRules = { roles: agentRuntimeAccess, scopes: agentRuntimeScopes };
export const topologyRules = { roles: topologyAccess, scopes: topologyScopes };
