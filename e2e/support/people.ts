import { createId } from '@paralleldrive/cuid2';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import type { TestStack } from '@daycare/testing';

/** A user with the credentials to call as it. */
export interface Person extends User {
  readonly as: CallOptions;
}

/** Makes the users of a story. Close it before the stack stops. */
export class People {
  readonly #identity: RpcClient<typeof IdentityServiceService>;
  readonly #admin: CallOptions;

  constructor(stack: TestStack) {
    this.#identity = createRpcClient(IdentityServiceService, {
      address: stack.addressOf('identity'),
      // Many are made at once, on a machine that has other things to do.
      timeoutMs: 30_000,
    });
    this.#admin = { metadata: stack.adminMetadata };
  }

  async newPerson(): Promise<Person> {
    const request = { requestId: createId(), name: 'Somebody' };
    const { user } = await this.#identity.createUser(request, this.#admin);
    return { ...user!, as: await this.signIn(user!.id) };
  }

  async newSubuser({ as }: Person): Promise<User> {
    const request = { requestId: createId(), name: 'Helper', description: 'Knows the recipes' };
    return (await this.#identity.createSubuser(request, as)).subuser!;
  }

  /** What to call with as a user, or as one of its agents. */
  async signIn(userId: string, agentId = ''): Promise<CallOptions> {
    return (await this.signInFor(userId, agentId)).as;
  }

  /** The same, with the token that can be revoked. */
  async signInFor(userId: string, agentId = ''): Promise<{ as: CallOptions; token: string }> {
    const request = { userId, agentId, publicKeyJwk: '' };
    const { tokens } = await this.#identity.issueToken(request, this.#admin);
    const token = tokens!.accessToken;
    return { as: { metadata: { authorization: `Bearer ${token}` } }, token };
  }

  async revoke(token: string): Promise<void> {
    await this.#identity.revokeToken({ token });
  }

  async deleteSubuser({ as }: Person, subuserId: string): Promise<void> {
    await this.#identity.deleteSubuser({ requestId: createId(), subuserId }, as);
  }

  async deletePerson({ id: userId, as }: Person): Promise<void> {
    await this.#identity.deleteUser({ requestId: createId(), userId }, as);
  }

  close(): void {
    this.#identity.close();
  }
}
