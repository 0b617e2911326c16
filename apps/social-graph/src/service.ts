import { joinInstance, type BuiltService, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { socialGraphHandler } from './rpc/social-graph-handler';

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate } = await joinInstance('social-graph', config, kit);
  return { services: [socialGraphHandler()], authenticate };
}
