import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendListTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_list',
    description:
      'Shows your friends with the subusers shared in either direction, open requests with their times, and ' +
      'whom you block. What does not fit is counted under leftOut.',
    schema: {},
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: (_, context) => friends.list(context),
  });
}
