import { createId } from '@daycare/api/create-id';
import type { User } from '@daycare/contracts/identity';
import type { CallOptions } from '@daycare/rpc';
import type { TestStack } from '@daycare/testing';
import type { Clients } from '../clients/clients';

/** A user with the credentials to call as it. */
export interface Person extends User {
  readonly as: CallOptions;
}

type Named = Pick<User, 'nametag'>;

/** Stories create many users concurrently, on a busy machine. */
const patient = { timeoutMs: 30_000 };

/** Creates the users of a story and connects them with each other. */
export class People {
  readonly #clients: Clients;
  readonly #admin: CallOptions;

  constructor({ adminMetadata }: TestStack, clients: Clients) {
    this.#clients = clients;
    this.#admin = { ...patient, metadata: adminMetadata };
  }

  async newPerson(): Promise<Person> {
    const request = { requestId: createId(), name: 'Somebody' };
    const { user } = await this.#clients.identity.createUser(request, this.#admin);
    return { ...user!, as: await this.signIn(user!.id) };
  }

  newPeople(count: number): Promise<Person[]> {
    return Promise.all(Array.from({ length: count }, () => this.newPerson()));
  }

  /** Two people who are strangers. */
  newPair(): Promise<[Person, Person]> {
    return Promise.all([this.newPerson(), this.newPerson()]);
  }

  /** Two people who are friends. */
  async newFriends(): Promise<[Person, Person]> {
    const [one, other] = await this.newPair();
    await this.befriend(one, other);
    return [one, other];
  }

  async newSubuser({ as }: Person): Promise<User> {
    const request = { requestId: createId(), name: 'Helper', description: 'Knows the recipes' };
    const options = { ...as, ...patient };
    return (await this.#clients.identity.createSubuser(request, options)).subuser!;
  }

  /** Credentials of a user, or of one of its agents. */
  async signIn(userId: string, agentId = ''): Promise<CallOptions> {
    return (await this.signInFor(userId, agentId)).as;
  }

  /** The same, with the token that can be revoked. */
  async signInFor(userId: string, agentId = ''): Promise<{ as: CallOptions; token: string }> {
    const request = { userId, agentId, publicKeyJwk: '' };
    const { tokens } = await this.#clients.identity.issueToken(request, this.#admin);
    const token = tokens!.accessToken;
    return { as: { metadata: { authorization: `Bearer ${token}` } }, token };
  }

  /** A personal access token, and the credentials of a call with it. */
  async newAccessToken(
    { as }: Pick<Person, 'as'>,
    given: { name?: string; scopes?: string[]; subuserId?: string } = {},
  ) {
    const { identity } = this.#clients;
    const { name = 'a program', scopes = ['agents:read'], subuserId = '' } = given;
    const request = { requestId: createId(), name, scopes, subuserId, lifetimeMs: 0 };
    const { token, secret } = await identity.createAccessToken(request, { ...patient, ...as });
    const { tokens } = await identity.exchangeAccessToken({ secret }, patient);
    const authorization = `Bearer ${tokens!.accessToken}`;
    const metadata = { authorization };
    return { tokenId: token!.id, secret, authorization, as: { metadata } as CallOptions };
  }

  async revoke(token: string): Promise<void> {
    await this.#clients.identity.revokeToken({ token });
  }

  async deleteSubuser({ as }: Person, subuserId: string): Promise<void> {
    await this.#clients.identity.deleteSubuser({ requestId: createId(), subuserId }, as);
  }

  async deletePerson({ id: userId, as }: Person): Promise<void> {
    await this.#clients.identity.deleteUser({ requestId: createId(), userId }, as);
  }

  async befriend(one: Person, other: Person): Promise<void> {
    const { graph } = this.#clients;
    await graph.addFriend({ requestId: createId(), nametag: other.nametag }, one.as);
    await graph.addFriend({ requestId: createId(), nametag: one.nametag }, other.as);
  }

  /** Sends a friend message. */
  async message(from: Person, { nametag }: Named, message: string): Promise<void> {
    const request = { requestId: createId(), nametag, message };
    await this.#clients.graph.sendFriendMessage(request, from.as);
  }

  async share(owner: Person, { nametag: friendNametag }: Named, { id }: User): Promise<void> {
    const request = { requestId: createId(), friendNametag, subuserId: id };
    await this.#clients.graph.shareSubuser(request, owner.as);
  }

  /** Accepts the offer of a subuser. */
  async acceptShare(friend: Person, { nametag }: Named): Promise<void> {
    await this.#clients.graph.addFriend({ requestId: createId(), nametag }, friend.as);
  }

  async unshare(owner: Person, { nametag: friendNametag }: Named, { id }: User): Promise<void> {
    const request = { requestId: createId(), friendNametag, subuserId: id };
    await this.#clients.graph.unshareSubuser(request, owner.as);
  }
}
