import { createId } from '@daycare/api/create-id';
import type { Daycare } from '@daycare/client';
import {
  connectWithAuthority,
  createGrpcTransport,
  fixedAuthority,
  type ServiceKey,
} from '@daycare/client/kit';
import type { User } from '@daycare/contracts/identity';
import type { ServiceName } from '@daycare/local-stack';
import { channelCredentials, type CallOptions } from '@daycare/rpc';
import type { TestStack } from '@daycare/testing';
import type { Clients } from '../clients/clients';

/** A user, and the credentials to make calls as this user. */
export interface Person extends User {
  readonly as: CallOptions;
}

type Named = Pick<User, 'nametag'>;

const nameOf: Readonly<Record<ServiceKey, ServiceName>> = {
  identity: 'identity',
  socialGraph: 'social-graph',
  agentRuntime: 'agent-runtime',
  topology: 'topology',
};

/** A long deadline, because stories create many users concurrently, on a busy machine. */
const longDeadline = { timeoutMs: 30_000 };

/** Creates a story's users, and friendships and shares between them. */
export class People {
  readonly #clients: Clients;
  readonly #admin: CallOptions;
  readonly #transport: ReturnType<typeof createGrpcTransport>;

  constructor({ adminMetadata, addressOf }: TestStack, clients: Clients) {
    this.#clients = clients;
    this.#admin = { ...longDeadline, metadata: adminMetadata };
    this.#transport = createGrpcTransport({
      addressOf: (service) => addressOf(nameOf[service]),
      credentials: () => channelCredentials(),
    });
  }

  /** Returns the client library, signed in as this person. */
  clientOf({ as }: Pick<Person, 'as'>): Daycare {
    const authorization = as.metadata?.['authorization'];
    return connectWithAuthority({
      transport: this.#transport,
      authority: () => fixedAuthority(authorization),
    });
  }

  close(): void {
    this.#transport.close();
  }

  async newPerson(name = 'Somebody'): Promise<Person> {
    const request = { requestId: createId(), name };
    const { user } = await this.#clients.identity.createUser(request, this.#admin);
    return { ...user!, as: await this.signIn(user!.id) };
  }

  newPeople(count: number): Promise<Person[]> {
    return Promise.all(Array.from({ length: count }, () => this.newPerson()));
  }

  /** Creates two people who are strangers. */
  newPair(): Promise<[Person, Person]> {
    return Promise.all([this.newPerson(), this.newPerson()]);
  }

  /** Creates two people who are friends. */
  async newFriends(): Promise<[Person, Person]> {
    const [one, other] = await this.newPair();
    await this.befriend(one, other);
    return [one, other];
  }

  async newSubuser(owner: Person): Promise<User> {
    const subuser = { name: 'Helper', description: 'Knows the recipes' };
    return this.clientOf(owner).subusers.create(subuser);
  }

  /** Issues credentials for a user, or for one of the user's agents. */
  async signIn(userId: string, agentId = ''): Promise<CallOptions> {
    return (await this.signInWithToken(userId, agentId)).as;
  }

  /** Like `signIn`, but also returns the token, so that it can be revoked. */
  async signInWithToken(userId: string, agentId = ''): Promise<{ as: CallOptions; token: string }> {
    const request = { userId, agentId, publicKeyJwk: '' };
    const { tokens } = await this.#clients.identity.issueToken(request, this.#admin);
    const token = tokens!.accessToken;
    return { as: { metadata: { authorization: `Bearer ${token}` } }, token };
  }

  /** Creates a personal access token; returns it with the credentials for calls that use it. */
  async newAccessToken(
    { as }: Pick<Person, 'as'>,
    options: { name?: string; scopes?: string[]; subuserId?: string } = {},
  ) {
    const { identity } = this.#clients;
    const { name = 'a program', scopes = ['agents:read'], subuserId = '' } = options;
    const request = { requestId: createId(), name, scopes, subuserId, lifetimeMs: 0 };
    const { token, secret } = await identity.createAccessToken(request, { ...longDeadline, ...as });
    const { tokens } = await identity.exchangeAccessToken({ secret }, longDeadline);
    const authorization = `Bearer ${tokens!.accessToken}`;
    const metadata = { authorization };
    return { tokenId: token!.id, secret, authorization, as: { metadata } as CallOptions };
  }

  async revoke(token: string): Promise<void> {
    await this.#clients.identity.revokeToken({ token });
  }

  async deleteSubuser(owner: Person, subuserId: string): Promise<void> {
    await this.clientOf(owner).subusers.delete(subuserId);
  }

  async deletePerson(person: Person): Promise<void> {
    const request = { requestId: createId(), userId: person.id };
    await this.clientOf(person).rpc.identity.deleteUser(request);
  }

  async befriend(one: Person, other: Person): Promise<void> {
    await this.clientOf(one).friends.add(other.nametag);
    await this.clientOf(other).friends.add(one.nametag);
  }

  /** Sends a friend message. */
  async message(from: Person, { nametag }: Named, message: string): Promise<void> {
    await this.clientOf(from).friends.send(nametag, message);
  }

  async share(owner: Person, { nametag }: Named, { id }: User): Promise<void> {
    await this.clientOf(owner).subusers.share(id, nametag);
  }

  /** Accepts a share offer. */
  async acceptShare(friend: Person, { nametag }: Named): Promise<void> {
    await this.clientOf(friend).friends.add(nametag);
  }

  async unshare(owner: Person, { nametag }: Named, { id }: User): Promise<void> {
    await this.clientOf(owner).subusers.unshare(id, nametag);
  }
}
