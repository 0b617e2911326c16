import { z } from 'zod';
import type { Signals } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeSignalUnsubscribeTool({ signals }: { readonly signals: Signals }): Tool {
  return defineTool({
    name: 'signal_unsubscribe',
    description: 'Ends a subscription of yours. Signals that are due later are not heard any more.',
    schema: {
      pattern: z.string().describe('Exactly as you subscribed to it'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ pattern }, context) {
      await signals.unsubscribe(context, pattern);
      return { summary: `Not subscribed to ${pattern} any more`, pattern };
    },
  });
}
