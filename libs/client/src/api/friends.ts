import type {
  AddFriendResponse,
  Friend,
  GetMessageStatusResponse,
  RemoveFriendResponse,
  SendFriendMessageResponse,
} from '@daycare/contracts/social-graph';
import { newRequestId } from '../calls/request-id';
import type { Rpcs } from '../calls/rpc';
import type { CallOptions } from '../transport/transport';
import { readPages } from './pages';

/** Options of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /** Repeating a call with the same id acts once; made up by default. */
  readonly requestId?: string;
}

/** The friends of the caller. */
export interface Friends {
  list(options?: CallOptions): AsyncIterable<Friend>;
  /** Requests a friendship, or accepts one, or the offer of a subuser. */
  add(nametag: string, options?: ChangeOptions): Promise<AddFriendResponse>;
  remove(nametag: string, options?: ChangeOptions): Promise<RemoveFriendResponse>;
  /** Sends a message to a friend or to a subuser; `status` reports its delivery. */
  send(
    nametag: string,
    message: string,
    options?: ChangeOptions,
  ): Promise<SendFriendMessageResponse>;
  status(messageId: string, options?: CallOptions): Promise<GetMessageStatusResponse>;
  block(nametag: string, options?: ChangeOptions): Promise<void>;
  unblock(nametag: string, options?: ChangeOptions): Promise<void>;
}

export function makeFriends({ socialGraph }: Rpcs): Friends {
  const named = (nametag: string, { requestId = newRequestId() }: ChangeOptions = {}) => ({
    requestId,
    nametag,
  });
  return {
    list: (options) =>
      readPages(async (page) => {
        const { friends, nextPageToken } = await socialGraph.listFriends(page, options);
        return { items: friends, nextPageToken };
      }),
    add: (nametag, options) => socialGraph.addFriend(named(nametag, options), options),
    remove: (nametag, options) => socialGraph.removeFriend(named(nametag, options), options),
    send: (nametag, message, options) =>
      socialGraph.sendFriendMessage({ ...named(nametag, options), message }, options),
    status: (messageId, options) => socialGraph.getMessageStatus({ messageId }, options),
    async block(nametag, options) {
      await socialGraph.blockUser(named(nametag, options), options);
    },
    async unblock(nametag, options) {
      await socialGraph.unblockUser(named(nametag, options), options);
    },
  };
}
