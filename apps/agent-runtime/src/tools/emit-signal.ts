import { z } from 'zod';
import type { RunawayGuards } from '../domain/runaway-guards';
import type { Signals } from '../rpc/wiring-client';
import { guardHops } from './guard-hops';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export interface EmitSignalDeps {
  readonly signals: Signals;
  readonly guards: RunawayGuards;
}

export function makeEmitSignalTool({ signals, guards }: EmitSignalDeps): Tool {
  return defineTool({
    name: 'emit_signal',
    description:
      'Announces an event to the agents of your user that have subscribed to it, now or later. You do not ' +
      'hear it yourself.',
    schema: {
      type: z.string().describe('Segments joined by ":", e.g. build:done'),
      data: z.unknown().optional().describe('Any JSON value that goes with it'),
      delayMs: z.int().min(0).optional().describe('Heard that many milliseconds later'),
      repeatKey: z
        .string()
        .optional()
        .describe('Takes the place of a signal that still waits with this key and the same type'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ type, data, delayMs = 0, repeatKey = '' }, context) {
      guardHops(context, guards);
      const dataJson = data === undefined ? '' : JSON.stringify(data);
      const signal = await signals.emit(context, { type, dataJson, delayMs, repeatKey });
      const what = signal.state === 'waiting' ? 'will be emitted' : 'emitted';
      return { summary: `Signal ${type} ${what}`, signal };
    },
  });
}
