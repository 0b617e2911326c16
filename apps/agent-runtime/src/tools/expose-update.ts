import { z } from 'zod';
import { exposeAuths, exposeModes, type Endpoints } from '../rpc/endpoints-client';
import { answerOf } from './expose-answer';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeExposeUpdateTool({ endpoints }: { readonly endpoints: Endpoints }): Tool {
  return defineTool({
    name: 'expose_update',
    description:
      'Changes an endpoint under the same URL, or draws a new password for it, which ends the old one. Its open ' +
      'connections end. What you leave out stays as it is.',
    schema: {
      endpointId: z.string().describe('As expose_list shows it'),
      name: z.string().optional(),
      target: z
        .string()
        .optional()
        .describe('port:<number>, unix:<path in the home> or agent:<id>'),
      mode: z.enum(exposeModes).optional(),
      auth: z.enum(exposeAuths).optional().describe('Turning it to password draws one'),
      rotatePassword: z.boolean().optional().describe('Draws a new password'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ endpointId, rotatePassword = false, ...wish }, context) {
      const made = await endpoints.update(context, endpointId, { ...wish, rotatePassword });
      return answerOf(`Endpoint ${made.endpoint.name} changed`, made);
    },
  });
}
