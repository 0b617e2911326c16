import { z } from 'zod';
import type { Signals } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

const defaultLimit = 20;

export function makeSignalEventsTool({ signals }: { readonly signals: Signals }): Tool {
  return defineTool({
    name: 'signal_events',
    description:
      'Lists the signals of your user of the last days, and those that still wait, newest first.',
    schema: {
      pattern: z.string().optional().describe('Only types that fit, e.g. build:*'),
      limit: z.int().min(1).max(100).optional().describe(`${defaultLimit} if left out`),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    execute: async ({ pattern = '', limit = defaultLimit }, context) => ({
      signals: await signals.list(context, pattern, limit),
    }),
  });
}
