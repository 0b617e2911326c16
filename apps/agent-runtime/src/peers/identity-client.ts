import type { User } from '@daycare/contracts/identity';
import { AppError } from '@daycare/api';
import { makeCallPeer, type PeerAccess } from '@daycare/service-kit';
import type { AgentCall } from '../agents';
import type { NamesOfSubusers, Subuser, Subusers } from '../subusers';
import { makeAsAgent, type Credential } from './as-agent';

const pageSize = 1_000;

type SubuserCalls =
  | 'createSubuser'
  | 'getUser'
  | 'listSubusers'
  | 'renameSubuser'
  | 'deleteSubuser';

/** Implements subuser operations by calling identity on behalf of an agent. */
export function makeSubusers(
  identity: Pick<PeerAccess['identity'], SubuserCalls>,
  credential: Credential,
): Subusers {
  const asAgent = makeAsAgent(credential, 'identity');
  return {
    async create(call, subuserSpec) {
      const request = { requestId: call.requestId, ...subuserSpec };
      const { subuser } = await asAgent(call, (options) =>
        identity.createSubuser(request, options),
      );
      if (!subuser) throw new AppError('INTERNAL', 'Internal error');
      return toSubuser(subuser);
    },
    async find(call, userId) {
      const { user } = await asAgent(call, (options) =>
        identity.getUser({ userId }, options),
      ).catch(emptyIfNotFound);
      return user?.parentUserId === call.agent.userId ? toSubuser(user) : undefined;
    },
    async rename(call, subuserId, name) {
      const request = { requestId: call.requestId, subuserId, name };
      const { subuser } = await asAgent(call, (options) =>
        identity.renameSubuser(request, options),
      );
      if (!subuser) throw new AppError('INTERNAL', 'Internal error');
      return toSubuser(subuser);
    },
    async delete(call, subuserId) {
      const request = { requestId: call.requestId, subuserId };
      await asAgent(call, (options) => identity.deleteSubuser(request, options));
    },
    async list(call: AgentCall) {
      const subusers: Subuser[] = [];
      let pageToken = '';
      do {
        const request = { pageSize, pageToken };
        const page = await asAgent(call, (options) => identity.listSubusers(request, options));
        subusers.push(...page.subusers.map(toSubuser));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      return subusers;
    },
  };
}

/** Calls identity as agent-runtime itself: when a message for a subuser arrives, there is no caller to act for. */
export function makeNamesOfSubusers(
  identity: Pick<PeerAccess['identity'], 'batchGetUsers'>,
  credential: Credential,
): NamesOfSubusers {
  const callIdentity = makeCallPeer(credential, 'identity');
  return async (subuserIds) => {
    const request = { userIds: [...subuserIds] };
    const { users } = await callIdentity((options) => identity.batchGetUsers(request, options));
    return new Map(users.map(({ id, name }) => [id, name]));
  };
}

function toSubuser({ id, name, nametag }: User): Subuser {
  return { id, name, nametag };
}

function emptyIfNotFound(error: unknown): { user?: undefined } {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return {};
  throw error;
}
