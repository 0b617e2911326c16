import { z } from 'zod';
import type { RunawayGuards } from '../domain/runaway-guards';
import type { Friends } from '../rpc/social-graph-client';
import { guardHops } from './guard-hops';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export interface FriendSendDeps {
  readonly friends: Friends;
  readonly guards: RunawayGuards;
}

export function makeFriendSendTool({ friends, guards }: FriendSendDeps): Tool {
  return defineTool({
    name: 'friend_send',
    description:
      'Sends a message to a friend, or to a subuser that a friend shares with you. It is safely on its way ' +
      'when this is answered; a reply comes later, as a message of its own.',
    schema: {
      nametag: z.string().describe('The friend, or the shared subuser'),
      message: z.string().describe('The text, up to 32,768 characters'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    async execute({ nametag, message }, context) {
      guardHops(context, guards);
      return friends.send(context, nametag, message);
    },
  });
}
