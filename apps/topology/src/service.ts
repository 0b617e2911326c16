import { joinInstance, type BuiltService, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { topologyHandler } from './rpc/topology-handler';

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate } = await joinInstance('topology', config, kit);
  return { services: [topologyHandler()], authenticate };
}
