import { z } from 'zod';
import type { RunawayGuards } from '../../agents';
import { labelled, labelOfEntries } from '../domain/tool-outcome';
import type { Signals } from '../ports/signals';
import { guardHops } from '../registry/guard-hops';
import { defineTool, limitArgument, type Tool } from '../registry/tool';
import { delegated, everyone } from '../registry/tool-access';

export interface SignalToolsDeps {
  readonly signals: Signals;
  readonly guards: RunawayGuards;
}

const defaultLimit = 20;
const access = { isVisibleTo: everyone, authorise: delegated };

export function signalTools({ signals, guards }: SignalToolsDeps): Tool[] {
  return [
    emitTool(signals, guards),
    subscribeTool(signals),
    unsubscribeTool(signals),
    eventsTool(signals),
  ];
}

function emitTool(signals: Signals, guards: RunawayGuards): Tool {
  return defineTool({
    name: 'emit_signal',
    description:
      'Announces an event to all of your user’s agents that have subscribed to its type, except yourself, either ' +
      'immediately or after delayMs. Returns the signal. Example: {"type": "build:done", "data": {"ok": true}}.',
    schema: {
      type: z.string().describe('Segments joined by ":", e.g. build:done'),
      data: z.unknown().optional().describe('Any JSON value to send along'),
      delayMs: z
        .int()
        .min(0)
        .optional()
        .describe('Milliseconds to wait before the signal is emitted; defaults to 0'),
      repeatKey: z
        .string()
        .optional()
        .describe(
          'Replaces a waiting signal that has the same type and key, e.g. to move a reminder',
        ),
    },
    ...access,
    isLater: ({ delayMs = 0, repeatKey = '' }) => delayMs > 0 || repeatKey !== '',
    async execute({ type, data, delayMs = 0, repeatKey = '' }, context) {
      guardHops(context, guards);
      const dataJson = data === undefined ? '' : JSON.stringify(data);
      const signal = await signals.emit(context, { type, dataJson, delayMs, repeatKey });
      const what = signal.state === 'waiting' ? 'will be emitted' : 'emitted';
      return { summary: `Signal ${type} ${what}`, signal };
    },
  });
}

function subscribeTool(signals: Signals): Tool {
  return defineTool({
    name: 'signal_subscribe',
    description:
      'Subscribes you to your user’s signals of certain types from now on. By default, they are added to your context ' +
      'without starting a turn; with silent: false, each signal starts one. Subscribing to the same pattern again ' +
      'changes only that setting. Returns the subscription.',
    schema: {
      pattern: z
        .string()
        .describe('A signal type in which "*" stands for exactly one segment, e.g. build:*'),
      silent: z
        .boolean()
        .optional()
        .describe('False to start a turn for each signal; defaults to true'),
    },
    ...access,
    async execute({ pattern, silent }, context) {
      const subscription = await signals.subscribe(context, pattern, silent);
      return { summary: `Subscribed to ${pattern}`, ...subscription };
    },
  });
}

function unsubscribeTool(signals: Signals): Tool {
  return defineTool({
    name: 'signal_unsubscribe',
    description:
      'Ends one of your subscriptions. Signals emitted from now on, even those already waiting, no longer reach you ' +
      'through it. Returns the pattern.',
    schema: { pattern: z.string().describe('The pattern exactly as you subscribed to it') },
    ...access,
    async execute({ pattern }, context) {
      await signals.unsubscribe(context, pattern);
      return { summary: `Unsubscribed from ${pattern}`, pattern };
    },
  });
}

function eventsTool(signals: Signals): Tool {
  return defineTool({
    name: 'signal_events',
    description:
      'Lists your user’s signals from the last seven days and those still waiting to be emitted, newest first. Use it ' +
      'to catch up on signals you have missed. Long data is truncated (cutCharacters is how much is missing); omitted ' +
      'is how many signals did not fit.',
    schema: {
      pattern: z.string().optional().describe('Only types that match, e.g. build:*'),
      limit: limitArgument(defaultLimit),
    },
    ...access,
    async execute({ pattern = '', limit = defaultLimit }, context) {
      const { shown, omitted } = await signals.list(context, pattern, limit);
      const more = omitted > 0 ? { omitted } : {};
      return labelled({ signals: shown, ...more }, labelOfEntries(shown));
    },
  });
}
