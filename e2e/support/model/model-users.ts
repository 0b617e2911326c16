import type { User as IdentityUser } from '@daycare/contracts/identity';
import type { ListFriendsResponse } from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/api';
import type { ListedTie, ModelCall } from './friendship-model';
import type { People, Person } from '../people/people';
import { ownerOf, subusers, users, type Name, type Subuser, type User } from './share-model';
import type { Graph } from '../clients/clients';

export interface PlannedCall {
  readonly kind: ModelCall['kind'] | 'list' | 'again';
  readonly by: User;
  readonly target: Name;
  readonly subuser: Subuser;
  readonly replica: number;
}

export type AnyResponse = Readonly<Record<string, unknown>>;
export type RawCall = (graph: Graph) => Promise<AnyResponse>;

/** Real users in the roles of the model's users. Translates the model's calls, and the responses to them. */
export class ModelUsers {
  readonly ids: Readonly<Record<Name, string>>;
  readonly #nametags: Readonly<Record<Name, string>>;

  private constructor(
    readonly people: Readonly<Record<User, Person>>,
    helpers: Record<Subuser, IdentityUser>,
  ) {
    const all = { ...people, ...helpers };
    const names = Object.keys(all) as Name[];
    this.ids = Object.fromEntries(names.map((name) => [name, all[name].id])) as never;
    this.#nametags = Object.fromEntries(names.map((name) => [name, all[name].nametag])) as never;
  }

  static async create(people: People): Promise<ModelUsers> {
    const [ada, bob, cyd] = await Promise.all(users.map(() => people.newPerson()));
    const [helper, cook] = await Promise.all([people.newSubuser(ada!), people.newSubuser(bob!)]);
    return new ModelUsers({ ada: ada!, bob: bob!, cyd: cyd! }, { helper, cook });
  }

  nameOf(subuserId: string): string {
    return subusers.find((name) => this.ids[name] === subuserId) ?? '';
  }

  readList(me: User, { friends, requests, blocks }: ListFriendsResponse) {
    const listed = (other: User): ListedTie => {
      const isOfOther = (entry: { nametag: string }) => entry.nametag === this.#nametags[other];
      const shares = friends
        .filter(isOfOther)
        .flatMap(({ sharesIn, sharesOut }) => [
          ...sharesOut.map((share) => ({ ...share, owner: me })),
          ...sharesIn.map((share) => ({ ...share, owner: other })),
        ]);
      const texts = shares.map(({ subuserId, status, owner }) => {
        const name = this.nameOf(subuserId) as Subuser;
        return `${ownerOf[name] === owner ? name : 'misplaced'} ${shorten(status)}`;
      });
      return {
        friend: friends
          .filter(isOfOther)
          .map(() => `friend ${texts.sort().join()}`)
          .join(),
        request: requests
          .filter(isOfOther)
          .map(({ state }) => shorten(state))
          .join(),
        block: blocks
          .filter(isOfOther)
          .map(() => 'blocked')
          .join(),
      };
    };
    return Object.fromEntries(users.map((other) => [other, listed(other)]));
  }

  rawCall({ kind, by, target, subuser }: PlannedCall, id: string, messageId: string): RawCall {
    const { as } = this.people[by];
    const nametag = this.#nametags[target];
    const request = { requestId: id, nametag };
    const shareRequest = { requestId: id, friendNametag: nametag, subuserId: this.ids[subuser] };
    const calls: Record<ModelCall['kind'], (graph: Graph) => Promise<object>> = {
      add: (graph) => graph.addFriend(request, as),
      remove: (graph) => graph.removeFriend(request, as),
      send: (graph) => graph.sendFriendMessage({ ...request, message: `message ${id}` }, as),
      block: (graph) => graph.blockUser(request, as),
      unblock: (graph) => graph.unblockUser(request, as),
      share: (graph) => graph.shareSubuser(shareRequest, as),
      unshare: (graph) => graph.unshareSubuser(shareRequest, as),
      status: (graph) => graph.getMessageStatus({ messageId }, as),
    };
    return calls[kind as ModelCall['kind']] as RawCall;
  }
}

/** Removes the prefix of an enum value. */
export const shorten = (value: string): string =>
  value.replace(/^(ADD_FRIEND_STATUS|REMOVAL_STATUS|SHARE_STATUS|TIE_STATE|NOTICE_KIND)_/, '');

export function answerOf(kind: PlannedCall['kind'], { status, deadReason }: AnyResponse): string {
  if (kind === 'status' && String(status).endsWith('DEAD'))
    return deadReason === 'no longer allowed' ? 'ENDED' : 'DEAD';
  if (kind === 'status') return 'KNOWN';
  return typeof status === 'string' ? shorten(status) : 'OK';
}

export function refusalOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return error.details.precondition?.type ?? error.code;
}
