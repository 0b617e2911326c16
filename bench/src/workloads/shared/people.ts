import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../../kit/bench-stack';
import { createUser } from './identity-users';
import { connectReplicas, type Spread } from './spread';

export interface Person extends User {
  readonly as: CallOptions;
}

export type SocialGraphClient = RpcClient<typeof SocialGraphServiceService>;

export function connectSocialGraph(stack: BenchStack): Spread<SocialGraphClient> {
  return connectReplicas(stack, 'social-graph', (address) =>
    createRpcClient(SocialGraphServiceService, { address, timeoutMs: 20_000 }),
  );
}

/** Creates users with their own tokens. */
export async function createPeople(stack: BenchStack, count: number): Promise<Person[]> {
  const address = stack.addressOf('identity');
  const metadata = stack.adminMetadata;
  const identity = createRpcClient(IdentityServiceService, {
    address,
    metadata,
    timeoutMs: 20_000,
  });
  const people: Person[] = [];
  while (people.length < count) {
    const batch = Array.from({ length: Math.min(20, count - people.length) }, async () => {
      const user = await createUser(identity);
      const request = { userId: user.id, agentId: '', publicKeyJwk: '' };
      const { tokens } = await identity.issueToken(request);
      const authorization = `Bearer ${tokens?.accessToken ?? ''}`;
      return { ...user, as: { metadata: { authorization } } };
    });
    people.push(...(await Promise.all(batch)));
  }
  identity.close();
  return people;
}
