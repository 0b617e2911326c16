import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { socialGraphAccess } from '@daycare/contracts/access';
import { implementService, type ServiceImplementation } from '@daycare/rpc';

/** daycare.social_graph.v1.SocialGraphService: no RPC is built yet, so each answers UNIMPLEMENTED. */
export function socialGraphHandler(): ServiceImplementation {
  return implementService(
    'daycare.social_graph.v1.SocialGraphService',
    SocialGraphServiceService,
    socialGraphAccess,
    {},
  );
}
