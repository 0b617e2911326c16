import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendUnblockTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_unblock',
    description: 'Lifts a block. A friendship that the block ended does not come back by itself.',
    schema: {
      nametag: z.string().describe('Whom to unblock'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: ({ nametag }, context) => friends.unblock(context, nametag),
  });
}
