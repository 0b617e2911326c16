import type { Workload } from '../kit/workload';
import { postMessageWorkloads } from './agent-runtime/post-message';
import { watchFanOutWorkloads } from './agent-runtime/watch-agent';
import { gatewayWorkloads } from './gateway/workloads';
import { longerHistoryWorkloads } from './growth/longer-history';
import { moreReplicasWorkloads } from './growth/more-replicas';
import { remoteTurnWorkloads } from './growth/remote-turns';
import { moreTiesWorkloads } from './growth/more-ties';
import { batchGetUsersWorkload } from './identity/batch-get-users';
import { createUserWorkload } from './identity/create-user';
import { getUserWorkload } from './identity/get-user';
import { resolveNametagWorkload } from './identity/resolve-nametag';
import { verifyNewTokenWorkload, verifySeenTokenWorkload } from './identity/verify-token';
import { acceptFriendWorkload } from './social-graph/accept-friend';
import { addFriendWorkload } from './social-graph/add-friend';
import { befriendWorkload } from './social-graph/befriend';
import { friendMessageTurnWorkload } from './social-graph/friend-message-turn';
import { sendFriendMessageWorkload } from './social-graph/send-friend-message';
import { sendFriendMessagesWorkload } from './social-graph/send-friend-messages';
import { getTopologyWorkloads } from './topology/get-topology';

/** All workloads, in the order of measurement. Each call is measured with little data first, then with more. */
export const workloads: readonly Workload[] = [
  createUserWorkload,
  getUserWorkload,
  resolveNametagWorkload,
  batchGetUsersWorkload,
  verifySeenTokenWorkload,
  verifyNewTokenWorkload,
  addFriendWorkload,
  acceptFriendWorkload,
  befriendWorkload,
  sendFriendMessageWorkload,
  sendFriendMessagesWorkload,
  ...moreTiesWorkloads,
  friendMessageTurnWorkload,
  ...postMessageWorkloads,
  ...watchFanOutWorkloads,
  ...gatewayWorkloads,
  ...longerHistoryWorkloads,
  ...remoteTurnWorkloads,
  ...getTopologyWorkloads,
  ...moreReplicasWorkloads,
];
