import { z } from 'zod';
import type { Endpoints } from '../rpc/endpoints-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeExposeRemoveTool({ endpoints }: { readonly endpoints: Endpoints }): Tool {
  return defineTool({
    name: 'expose_remove',
    description:
      'Takes an endpoint away; its URL leads nowhere then, and its open connections end.',
    schema: { endpointId: z.string().describe('As expose_list shows it') },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ endpointId }, context) {
      await endpoints.remove(context, endpointId);
      return { summary: 'Endpoint removed', endpointId };
    },
  });
}
