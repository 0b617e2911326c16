import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendBlockTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_block',
    description:
      'Blocks somebody: what there was between you ends silently, and nothing of theirs reaches you any ' +
      'more. They cannot tell.',
    schema: {
      nametag: z.string().describe('Whom to block'),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: ({ nametag }, context) => friends.block(context, nametag),
  });
}
