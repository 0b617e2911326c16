import type { BuiltService } from '@daycare/service-kit';
import { agentRuntimeHandler } from './rpc/agent-runtime-handler';

export async function buildService(): Promise<BuiltService> {
  return { services: [agentRuntimeHandler()] };
}
