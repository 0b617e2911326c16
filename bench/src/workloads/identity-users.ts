import { randomUUID } from 'node:crypto';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../bench-stack';

/** How many users the read workloads choose from, in turn. */
const userCount = 500;
const createdAtOnce = 20;

export type IdentityClient = RpcClient<typeof IdentityServiceService>;

/** A client of the stack's identity, through the kit that services call each other with. */
export function connectIdentity(stack: BenchStack): IdentityClient {
  const address = stack.addressOf('identity');
  return createRpcClient(IdentityServiceService, { address, metadata: stack.adminMetadata });
}

/** Creates one user; throws unless it is answered. */
export async function createUser(identity: IdentityClient): Promise<User> {
  const request = { requestId: randomUUID(), name: 'Ada Lovelace' };
  const { user } = await identity.createUser(request);
  if (!user) throw new Error('CreateUser answered without a user');
  return user;
}

/** The users that a read workload reads. */
export async function createUsers(identity: IdentityClient): Promise<User[]> {
  const users: User[] = [];
  while (users.length < userCount) {
    const batch = Array.from({ length: createdAtOnce }, () => createUser(identity));
    users.push(...(await Promise.all(batch)));
  }
  return users;
}

/** Hands out the elements one after the other, from the start again after the last. */
export function takeInTurn<T>(elements: readonly T[]): () => T {
  let next = 0;
  return () => elements[next++ % elements.length]!;
}
