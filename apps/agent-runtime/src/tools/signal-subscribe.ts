import { z } from 'zod';
import type { Signals } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeSignalSubscribeTool({ signals }: { readonly signals: Signals }): Tool {
  return defineTool({
    name: 'signal_subscribe',
    description:
      'Lets you hear signals of your user from now on. They are noted without waking you unless you ask ' +
      'otherwise; subscribing again changes only that.',
    schema: {
      pattern: z
        .string()
        .describe('Like a type of signal; "*" stands for exactly one segment, e.g. build:*'),
      silent: z.boolean().optional().describe('false starts a turn for each; true if left out'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ pattern, silent }, context) {
      const subscription = await signals.subscribe(context, pattern, silent);
      return { summary: `Subscribed to ${pattern}`, ...subscription };
    },
  });
}
