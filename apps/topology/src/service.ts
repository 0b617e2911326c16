import type { BuiltService } from '@daycare/service-kit';
import { topologyHandler } from './rpc/topology-handler';

export async function buildService(): Promise<BuiltService> {
  return { services: [topologyHandler()] };
}
