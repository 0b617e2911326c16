import { FieldChecks } from '@daycare/errors';
import type { AgentCall } from './agent-call';
import { messageIdOf } from './message-id';
import type { Subusers } from './subusers';

/**
 * Deletes one of the caller's subusers. Identity marks it as gone and, in the same instant, stores word
 * of it to every service that keeps things of it; each removes them, however often it has to try.
 */
export function makeDeleteSubuser({ subusers }: { readonly subusers: Subusers }) {
  return async (call: AgentCall, subuserId: string): Promise<void> => {
    new FieldChecks().id(subuserId, 'subuserId').done();
    const requestId = messageIdOf('delete-subuser', call.agent.id, call.requestId);
    await subusers.delete({ ...call, requestId }, subuserId);
  };
}
