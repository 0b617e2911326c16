import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendShareSubuserTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_share_subuser',
    description:
      'Offers one of your subusers to a friend. The friend has to accept before it can be used, and never ' +
      'sees its system prompt.',
    schema: {
      friendNametag: z.string().describe('The friend'),
      subuserId: z.string().describe('The id of a subuser of yours, as subuser_list shows it'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: (names, context) => friends.share(context, names),
  });
}
