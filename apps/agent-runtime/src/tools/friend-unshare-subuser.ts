import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendUnshareSubuserTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_unshare_subuser',
    description:
      'Takes one of your subusers back from a friend, accepted or not. The friend is told and has no more ' +
      'access at once.',
    schema: {
      friendNametag: z.string().describe('The friend'),
      subuserId: z.string().describe('The id of a subuser of yours, as subuser_list shows it'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: (names, context) => friends.unshare(context, names),
  });
}
