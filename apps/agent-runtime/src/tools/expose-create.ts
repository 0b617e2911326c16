import { z } from 'zod';
import { exposeAuths, exposeModes, type Endpoints } from '../rpc/endpoints-client';
import { answerOf } from './expose-answer';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeExposeCreateTool({ endpoints }: { readonly endpoints: Endpoints }): Tool {
  return defineTool({
    name: 'expose_create',
    description:
      'Makes something of your user reachable over HTTP and returns its URL: a local port, a Unix socket in ' +
      'the home, or an agent, which then hears what is posted there (a webhook; needs a password). A password ' +
      'is drawn for you and shown once.',
    schema: {
      name: z.string().describe('What people call it, up to 100 characters'),
      target: z.string().describe('port:<number>, unix:<path in the home> or agent:<id>'),
      mode: z
        .enum(exposeModes)
        .describe('public, or local_network for the operator’s networks only'),
      auth: z.enum(exposeAuths).optional().describe('none if left out'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute(wish, context) {
      const made = await endpoints.create(context, wish);
      const isLost = made.endpoint.auth === 'password' && made.password === '';
      const lost = '; its password was shown before, draw a new one with expose_update';
      return answerOf(`Endpoint ${wish.name} created${isLost ? lost : ''}`, made);
    },
  });
}
