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

/** Options for a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /** A call that is retried with the same id takes effect only once. By default a new id is generated. */
  readonly requestId?: string;
}

/** The caller's friends. */
export interface Friends {
  list(options?: CallOptions): AsyncIterable<Friend>;
  /** Requests a friendship, or accepts a requested friendship or an offered subuser. */
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
  const toRequest = (nametag: string, { requestId = newRequestId() }: ChangeOptions = {}) => ({
    requestId,
    nametag,
  });
  return {
    list: (options) =>
      readPages(async (page) => {
        const { friends, nextPageToken } = await socialGraph.listFriends(page, options);
        return { items: friends, nextPageToken };
      }),
    add: (nametag, options) => socialGraph.addFriend(toRequest(nametag, options), options),
    remove: (nametag, options) => socialGraph.removeFriend(toRequest(nametag, options), options),
    send: (nametag, message, options) =>
      socialGraph.sendFriendMessage({ ...toRequest(nametag, options), message }, options),
    status: (messageId, options) => socialGraph.getMessageStatus({ messageId }, options),
    async block(nametag, options) {
      await socialGraph.blockUser(toRequest(nametag, options), options);
    },
    async unblock(nametag, options) {
      await socialGraph.unblockUser(toRequest(nametag, options), options);
    },
  };
}
