import { FieldChecks, messageIdOf } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { Subusers } from './subuser-directory';

/**
 * Deletes one of the caller's subusers. Identity marks it as deleted and, in the same transaction, stores notices to
 * all services that have data of the subuser. Each of these services then deletes the data, and retries until it has
 * succeeded.
 */
export function makeDeleteSubuser({ subusers }: { readonly subusers: Subusers }) {
  return async (call: AgentCall, subuserId: string): Promise<void> => {
    new FieldChecks().id(subuserId, 'subuserId').done();
    const requestId = messageIdOf('delete-subuser', call.agent.id, call.requestId);
    await subusers.delete({ ...call, requestId }, subuserId);
  };
}
