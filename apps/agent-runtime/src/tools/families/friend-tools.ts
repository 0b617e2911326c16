import { z } from 'zod';
import type { RunawayGuards } from '../../agents';
import type { Friends } from '../ports/friends';
import { labelled } from '../domain/tool-outcome';
import { guardHops } from '../registry/guard-hops';
import { defineTool, type Tool } from '../registry/tool';
import { delegated, topLevelOnly } from '../registry/tool-access';

export interface FriendToolsDeps {
  readonly friends: Friends;
  readonly guards: RunawayGuards;
}

const access = { isVisibleTo: topLevelOnly, authorise: delegated };

const share = {
  friendNametag: z.string().describe('The friend’s nametag, e.g. swiftfox42'),
  subuserId: z.string().describe('The id of one of your subusers, as shown by subuser_list'),
};

export function friendTools({ friends, guards }: FriendToolsDeps): Tool[] {
  return [
    addTool(friends),
    removeTool(friends),
    sendTool(friends, guards),
    shareTool(friends),
    unshareTool(friends),
    blockTool(friends),
    unblockTool(friends),
    listTool(friends),
  ];
}

function addTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_add',
    description:
      'Sends a friend request to another user. With the nametag of a user who sent you a request, it accepts ' +
      'that request instead; with the nametag of a subuser that a friend offered you, it accepts the offer. ' +
      'Repeating a pending request changes nothing. Returns the new status: pending_out, friends or active.',
    schema: {
      nametag: z.string().describe('The user’s nametag, e.g. swiftfox42, or the offered subuser’s'),
    },
    ...access,
    execute: ({ nametag }, context) => friends.add(context, nametag),
  });
}

function removeTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_remove',
    description:
      'Ends a friendship and all its shares, rejects a request you received, cancels a request you sent, or ' +
      'gives up or declines a subuser that a friend shares with you. Returns the status: removed, rejected or ' +
      'canceled.',
    schema: {
      nametag: z.string().describe('The nametag of the other user or of the shared subuser'),
    },
    ...access,
    execute: ({ nametag }, context) => friends.remove(context, nametag),
  });
}

function sendTool(friends: Friends, guards: RunawayGuards): Tool {
  return defineTool({
    name: 'friend_send',
    description:
      'Sends a message to a friend, to a subuser that a friend shares with you, or to one of your own subusers. ' +
      'Returns a messageId once the message is stored for delivery. A reply arrives later as a separate system ' +
      'message, from friend:<nametag> or subuser:<nametag>, so do not wait for it.',
    schema: {
      nametag: z
        .string()
        .describe('The nametag of the friend or subuser, or the name of one of your own subusers'),
      message: z.string().describe('The text, up to 32,768 characters'),
    },
    ...access,
    recipientOf: ({ nametag }, { startedBy }) => ({
      kind: isSameNametag(nametag, startedBy.nametag) ? 'sender' : 'others',
    }),
    async execute({ nametag, message }, context) {
      guardHops(context, guards);
      return friends.send(context, nametag, message);
    },
  });
}

function shareTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_share_subuser',
    description:
      'Offers one of your subusers to a friend, who can use it after accepting the offer. The friend sees its name, ' +
      'description and nametag, never its system prompt. Returns the status: pending, or active if the friend ' +
      'has already accepted.',
    schema: share,
    ...access,
    execute: (request, context) => friends.share(context, request),
  });
}

function unshareTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_unshare_subuser',
    description:
      'Stops sharing one of your subusers with a friend, or withdraws the offer. The friend loses access ' +
      'immediately and is notified. Returns the status: removed.',
    schema: share,
    ...access,
    execute: (request, context) => friends.unshare(context, request),
  });
}

function blockTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_block',
    description:
      'Blocks a user: ends any friendship, request or share with them, and nothing they send reaches you any more. ' +
      'They are not notified and cannot find out. Returns a confirmation.',
    schema: { nametag: z.string().describe('The nametag of the user to block') },
    ...access,
    execute: ({ nametag }, context) => friends.block(context, nametag),
  });
}

function unblockTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_unblock',
    description:
      'Unblocks a user. A friendship that the block ended is not restored; use friend_add for that. Returns a ' +
      'confirmation.',
    schema: { nametag: z.string().describe('The nametag of the user to unblock') },
    ...access,
    execute: ({ nametag }, context) => friends.unblock(context, nametag),
  });
}

function listTool(friends: Friends): Tool {
  return defineTool({
    name: 'friend_list',
    description:
      'Lists your friends with the subusers shared in each direction, open friend requests with their ' +
      'times, and the users you have blocked. leftOut counts entries that did not fit.',
    schema: {},
    ...access,
    async execute(_, context) {
      const list = await friends.list(context);
      // Friends choose the names of the subusers they share.
      const isForeign = list.friends.some(({ sharesIn = [] }) => sharesIn.length > 0);
      return labelled(list, isForeign ? { provenance: 'guest' } : {});
    },
  });
}

/** Compares nametags without regard to case. */
function isSameNametag(nametag: string, other: string | undefined): boolean {
  return nametag.trim().toLowerCase() === other?.toLowerCase();
}
