import { expect, it } from '@jest/globals';
import { AgentRuntimeServiceService } from './agent-runtime';
import { HealthService } from './health';
import { IdentityServiceService } from './identity';
import { limitedPaths, limitsOf } from './method-limits';
import { SocialGraphServiceService } from './social-graph';
import { TopologyServiceService } from './topology';

it('names only RPCs that exist', () => {
  const contracts = [
    AgentRuntimeServiceService,
    HealthService,
    IdentityServiceService,
    SocialGraphServiceService,
    TopologyServiceService,
  ];
  const paths = contracts.flatMap((contract) => Object.values(contract).map(({ path }) => path));
  expect(paths).toEqual(expect.arrayContaining([...limitedPaths]));
});

it('allows more to services than to users', () => {
  const path = '/daycare.identity.v1.IdentityService/Any';
  const ofServices = limitsOf(path, ['service:topology', 'admin']).maxRequestBytes;
  expect(ofServices).toBeGreaterThan(limitsOf(path, ['service', 'user']).maxRequestBytes);
});
