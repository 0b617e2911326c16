import { FieldChecks, fitPage, pageTokenAfter, readTimePage } from '@daycare/api';
import type { Grant } from '../../domain/grant';
import type { GrantStore } from '../../store/grant-store';

export interface ListGrantsCall {
  readonly userId: string;
  /** Empty for all agents. */
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListGrantsDeps {
  readonly grants: Pick<GrantStore, 'list'>;
  readonly now: () => Date;
}

/** Lists the valid grants to the agents of the caller and the caller's subusers, newest first. */
export function makeListGrants({ grants, now }: ListGrantsDeps) {
  return async (
    call: ListGrantsCall,
  ): Promise<{ grants: readonly Grant[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(call, checks);
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    checks.done();
    const wanted = { reader: call.userId, agentId: call.agentId, after, limit: limit + 1 };
    const { page, last } = fitPage(await grants.list(wanted, now()), limit);
    return { grants: page, nextPageToken: pageTokenAfter(last) };
  };
}
