import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendRemoveTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_remove',
    description:
      'Ends a friendship and everything shared in it, turns down a request, takes your own request back, or ' +
      'gives up a subuser that a friend shares with you.',
    schema: {
      nametag: z.string().describe('The other person; for a shared subuser, its own nametag'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: ({ nametag }, context) => friends.remove(context, nametag),
  });
}
