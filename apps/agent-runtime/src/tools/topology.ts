import { z } from 'zod';
import type { ShowTopology } from '../rpc/topology-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeTopologyTool(deps: { readonly showTopology: ShowTopology }): Tool {
  return defineTool({
    name: 'topology',
    description:
      'Shows your own nametag and everything you can see and reach: agents, schedules, channels, subusers, ' +
      'friends with what is shared, friend requests. What does not fit is counted.',
    schema: {
      includeDead: z.boolean().optional().describe('Shows dead agents too'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    execute: async ({ includeDead = false }, context) => ({
      text: await deps.showTopology(context, includeDead),
    }),
  });
}
