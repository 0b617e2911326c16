import { randomUUID } from 'node:crypto';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../../kit/bench-stack';

/** The number of users that the read workloads read in turn. */
const userCount = 500;
const batchSize = 20;

export type IdentityClient = RpcClient<typeof IdentityServiceService>;

/** Connects to identity with the same RPC kit that the services use. */
export function connectIdentity(stack: BenchStack): IdentityClient {
  const address = stack.addressOf('identity');
  return createRpcClient(IdentityServiceService, { address, metadata: stack.adminMetadata });
}

/** Creates one user; throws on failure. */
export async function createUser(identity: IdentityClient): Promise<User> {
  const request = { requestId: randomUUID(), name: 'Ada Lovelace' };
  const { user } = await identity.createUser(request);
  if (!user) throw new Error('CreateUser returned no user');
  return user;
}

/** Creates the users that a read workload reads. */
export async function createUsers(identity: IdentityClient): Promise<User[]> {
  const users: User[] = [];
  while (users.length < userCount) {
    const batch = Array.from({ length: batchSize }, () => createUser(identity));
    users.push(...(await Promise.all(batch)));
  }
  return users;
}

/** Returns the elements one after the other, starting over after the last. */
export function roundRobin<T>(elements: readonly T[]): () => T {
  let next = 0;
  return () => elements[next++ % elements.length]!;
}
