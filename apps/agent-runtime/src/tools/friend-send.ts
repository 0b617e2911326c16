import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendSendTool({ friends }: { readonly friends: Friends }): Tool {
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
    execute: ({ nametag, message }, context) => friends.send(context, nametag, message),
  });
}
