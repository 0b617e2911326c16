import { z } from 'zod';
import type { Friends } from '../rpc/social-graph-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, ofOwners } from './who-may';

export function makeFriendAddTool({ friends }: { readonly friends: Friends }): Tool {
  return defineTool({
    name: 'friend_add',
    description:
      'Asks somebody to become a friend, or accepts: a request that was made to you, or a subuser that a ' +
      'friend offers you. Asking again changes nothing.',
    schema: {
      nametag: z
        .string()
        .describe(
          'Whom to ask or to accept, e.g. swiftfox42; for an offered subuser, its own nametag',
        ),
    },
    isVisibleTo: ofOwners,
    authorise: asTheServiceSays,
    execute: ({ nametag }, context) => friends.add(context, nametag),
  });
}
