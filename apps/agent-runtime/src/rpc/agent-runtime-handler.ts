import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { agentRuntimeAccess } from '@daycare/contracts/access';
import { implementService, type ServiceImplementation } from '@daycare/rpc';

/** daycare.agent_runtime.v1.AgentRuntimeService: no RPC is built yet, so each answers UNIMPLEMENTED. */
export function agentRuntimeHandler(): ServiceImplementation {
  return implementService(
    'daycare.agent_runtime.v1.AgentRuntimeService',
    AgentRuntimeServiceService,
    agentRuntimeAccess,
    {},
  );
}
