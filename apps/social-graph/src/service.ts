import type { BuiltService } from '@daycare/service-kit';
import { socialGraphHandler } from './rpc/social-graph-handler';

export async function buildService(): Promise<BuiltService> {
  return { services: [socialGraphHandler()] };
}
