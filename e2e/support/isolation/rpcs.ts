import {
  agentRuntimeAccess,
  identityAccess,
  socialGraphAccess,
  topologyAccess,
  type Role,
  type ServiceName,
} from '@daycare/contracts/access';
import {
  agentRuntimeScopes,
  identityScopes,
  socialGraphScopes,
  topologyScopes,
  type ScopeRule,
} from '@daycare/contracts/scopes';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import type { ServiceContract } from '@daycare/rpc';

/** The contract of each service. */
export const contracts: Record<ServiceName, ServiceContract> = {
  identity: IdentityServiceService,
  'social-graph': SocialGraphServiceService,
  'agent-runtime': AgentRuntimeServiceService,
  topology: TopologyServiceService,
};
/** The access tables of all services. */
export const access: Record<ServiceName, Readonly<Record<string, readonly Role[]>>> = {
  identity: identityAccess,
  'social-graph': socialGraphAccess,
  'agent-runtime': agentRuntimeAccess,
  topology: topologyAccess,
};

/** What a personal access token needs for what. */
export const scopes: Record<ServiceName, Readonly<Record<string, ScopeRule>>> = {
  identity: identityScopes,
  'social-graph': socialGraphScopes,
  'agent-runtime': agentRuntimeScopes,
  topology: topologyScopes,
};

/**
 * The status of an empty request by a caller who may make the call. A missing RPC fails the test.
 */
export const toTheAllowed: Record<ServiceName, Record<string, string>> = {
  identity: {
    createUser: 'INVALID_ARGUMENT',
    getUser: 'INVALID_ARGUMENT',
    batchGetUsers: 'INVALID_ARGUMENT',
    resolveNametag: 'INVALID_ARGUMENT',
    resolveConnectorKey: 'INVALID_ARGUMENT',
    createSubuser: 'INVALID_ARGUMENT',
    listSubusers: 'OK',
    renameSubuser: 'INVALID_ARGUMENT',
    deleteSubuser: 'INVALID_ARGUMENT',
    deleteUser: 'NOT_FOUND',
    updateUser: 'NOT_FOUND',
    // An empty request asks for a token of the service itself, for which a token is not enough.
    issueToken: 'PERMISSION_DENIED',
    refreshToken: 'INVALID_ARGUMENT',
    revokeToken: 'INVALID_ARGUMENT',
    listSessions: 'OK',
    revokeSessions: 'INVALID_ARGUMENT',
    createAccessToken: 'INVALID_ARGUMENT',
    listAccessTokens: 'OK',
    revokeAccessToken: 'INVALID_ARGUMENT',
    exchangeAccessToken: 'INVALID_ARGUMENT',
    createSignInCode: 'OK',
    exchangeSignInCode: 'INVALID_ARGUMENT',
    listSignInProviders: 'OK',
    beginSignIn: 'INVALID_ARGUMENT',
    completeSignIn: 'INVALID_ARGUMENT',
    rotateSigningKey: 'INVALID_ARGUMENT',
    getJwks: 'OK',
  },
  'social-graph': {
    addFriend: 'INVALID_ARGUMENT',
    removeFriend: 'INVALID_ARGUMENT',
    sendFriendMessage: 'INVALID_ARGUMENT',
    sendFriendMessages: 'OK',
    shareSubuser: 'INVALID_ARGUMENT',
    unshareSubuser: 'INVALID_ARGUMENT',
    blockUser: 'INVALID_ARGUMENT',
    unblockUser: 'INVALID_ARGUMENT',
    setFriendLimits: 'INVALID_ARGUMENT',
    listFriends: 'OK',
    getMessageStatus: 'INVALID_ARGUMENT',
    deliverAgentMessage: 'INVALID_ARGUMENT',
    checkDelivery: 'INVALID_ARGUMENT',
  },
  'agent-runtime': {
    postMessage: 'INVALID_ARGUMENT',
    watchAgent: 'INVALID_ARGUMENT',
    watchConnector: 'OK',
    getAgent: 'INVALID_ARGUMENT',
    listAgents: 'OK',
    resetAgent: 'INVALID_ARGUMENT',
    stopTurn: 'INVALID_ARGUMENT',
    createAgent: 'INVALID_ARGUMENT',
    configureAgent: 'INVALID_ARGUMENT',
    endAgent: 'INVALID_ARGUMENT',
    sendAgentMessage: 'INVALID_ARGUMENT',
    startBackgroundAgent: 'INVALID_ARGUMENT',
    listPermissionRequests: 'OK',
    watchPermissionRequests: 'OK',
    decidePermission: 'INVALID_ARGUMENT',
    listGrants: 'OK',
    revokeGrant: 'INVALID_ARGUMENT',
    callTool: 'INVALID_ARGUMENT',
    listTools: 'INVALID_ARGUMENT',
    listHistory: 'INVALID_ARGUMENT',
    exportAgent: 'INVALID_ARGUMENT',
    listDeadLetters: 'OK',
    retryDeadLetter: 'INVALID_ARGUMENT',
    deleteDeadLetter: 'INVALID_ARGUMENT',
    listSkills: 'OK',
    getSkill: 'INVALID_ARGUMENT',
    approveSkill: 'INVALID_ARGUMENT',
    uploadFile: 'INVALID_ARGUMENT',
    downloadFile: 'INVALID_ARGUMENT',
    listFiles: 'OK',
    deleteFile: 'INVALID_ARGUMENT',
    createCron: 'INVALID_ARGUMENT',
    listCrons: 'OK',
    getCron: 'INVALID_ARGUMENT',
    runCron: 'INVALID_ARGUMENT',
    updateCron: 'INVALID_ARGUMENT',
    pauseCron: 'INVALID_ARGUMENT',
    deleteCron: 'INVALID_ARGUMENT',
    createHeartbeat: 'INVALID_ARGUMENT',
    listHeartbeats: 'OK',
    deleteHeartbeat: 'INVALID_ARGUMENT',
    getUsage: 'OK',
    setBudget: 'INVALID_ARGUMENT',
    listBudgets: 'OK',
    setModel: 'INVALID_ARGUMENT',
    getModel: 'OK',
    listModels: 'OK',
    testModel: 'INVALID_ARGUMENT',
    addModelProvider: 'INVALID_ARGUMENT',
    listModelProviders: 'OK',
    removeModelProvider: 'INVALID_ARGUMENT',
    ensureAgent: 'INVALID_ARGUMENT',
    markWired: 'INVALID_ARGUMENT',
    countWaitingMessages: 'OK',
    listScope: 'OK',
  },
  topology: {
    ...unbuilt(TopologyServiceService),
    getTopology: 'OK',
    watchTopology: 'OK',
    emitSignal: 'INVALID_ARGUMENT',
    subscribeSignal: 'INVALID_ARGUMENT',
    unsubscribeSignal: 'INVALID_ARGUMENT',
    listSignals: 'OK',
    createChannel: 'INVALID_ARGUMENT',
    joinChannel: 'INVALID_ARGUMENT',
    leaveChannel: 'INVALID_ARGUMENT',
    sendChannelMessage: 'INVALID_ARGUMENT',
    listChannelMessages: 'INVALID_ARGUMENT',
    createEndpoint: 'INVALID_ARGUMENT',
    updateEndpoint: 'INVALID_ARGUMENT',
    deleteEndpoint: 'INVALID_ARGUMENT',
    listEndpoints: 'OK',
    forwardAgentMessage: 'INVALID_ARGUMENT',
  },
};

function unbuilt(contract: ServiceContract): Record<string, string> {
  return Object.fromEntries(Object.keys(contract).map((method) => [method, 'UNIMPLEMENTED']));
}
