import { FieldChecks, messageIdOf } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { Subuser, Subusers } from './subuser-directory';

export interface RenameSubuserRequest {
  readonly subuserId: string;
  readonly name: string;
}

/** Renames one of the caller's subusers. Identity then sends a notice, which renames the gateway. */
export function makeRenameSubuser({ subusers }: { readonly subusers: Subusers }) {
  return async (call: AgentCall, { subuserId, name }: RenameSubuserRequest): Promise<Subuser> => {
    new FieldChecks().id(subuserId, 'subuserId').done();
    const requestId = messageIdOf('rename-subuser', call.agent.id, call.requestId);
    return subusers.rename({ ...call, requestId }, subuserId, name);
  };
}
