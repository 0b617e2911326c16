import { FieldChecks } from '@daycare/errors';
import type { AgentCall } from './agent-call';
import { messageIdOf } from './message-id';
import type { Subuser, Subusers } from './subusers';

export interface RenameSubuserWish {
  readonly subuserId: string;
  readonly name: string;
}

/** Changes what one of the caller's subusers is called. Its gateway hears of it from identity. */
export function makeRenameSubuser({ subusers }: { readonly subusers: Subusers }) {
  return async (call: AgentCall, { subuserId, name }: RenameSubuserWish): Promise<Subuser> => {
    new FieldChecks().id(subuserId, 'subuserId').done();
    const requestId = messageIdOf('rename-subuser', call.agent.id, call.requestId);
    return subusers.rename({ ...call, requestId }, subuserId, name);
  };
}
