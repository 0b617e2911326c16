import type { Workload } from '../workload';
import { acceptFriendAmongManyWorkload, acceptFriendWorkload } from './accept-friend';
import { addFriendAmongManyWorkload, addFriendWorkload } from './add-friend';
import { agentTurnWorkloads } from './agent-turn';
import { batchGetUsersWorkload } from './batch-get-users';
import { createUserWorkload } from './create-user';
import { getTopologyWorkloads } from './get-topology';
import { getUserWorkload } from './get-user';
import { postMessageWorkload } from './post-message';
import { resolveNametagWorkload } from './resolve-nametag';
import { sendFriendMessageWorkloads } from './send-friend-message';
import { verifyNewTokenWorkload, verifySeenTokenWorkload } from './verify-token';

/** Everything the product is measured by, in the order it is measured. */
export const workloads: readonly Workload[] = [
  createUserWorkload,
  getUserWorkload,
  resolveNametagWorkload,
  batchGetUsersWorkload,
  verifySeenTokenWorkload,
  verifyNewTokenWorkload,
  addFriendWorkload,
  acceptFriendWorkload,
  ...sendFriendMessageWorkloads,
  addFriendAmongManyWorkload,
  acceptFriendAmongManyWorkload,
  postMessageWorkload,
  ...agentTurnWorkloads,
  ...getTopologyWorkloads,
];
