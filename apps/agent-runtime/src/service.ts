import { joinInstance, type BuiltService, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { agentRuntimeHandler } from './rpc/agent-runtime-handler';

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate } = await joinInstance('agent-runtime', config, kit);
  return { services: [agentRuntimeHandler()], authenticate };
}
