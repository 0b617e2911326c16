import { SignalState } from '@daycare/contracts/topology';
import { collect } from '../client/pages';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { toTime, toWord } from '../output/words';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { agentOption, limitOption, parseCount, type ForAgent, type Limited } from './options';

const pattern = ['<pattern>', 'like a type; * stands for exactly one segment'] as const;

const emit = defineCommand<{ data?: string; delay?: number; repeatKey?: string }>({
  name: 'emit',
  description: 'announce an event to the agents that listen for it',
  args: [['<type>', 'segments joined by ":", e.g. build:done']],
  options: [
    ['--data <json>', 'a JSON value that goes with it; - reads it from the standard input'],
    ['--delay <ms>', 'heard that much later', { parse: parseCount }],
    ['--repeat-key <key>', 'replaces a waiting signal of the same type and key'],
  ],
  examples: [
    `signal emit build:done --data '{"ok":true}'`,
    'signal emit tea:ready --delay 240000 --repeat-key tea',
  ],
  async run({ session, args: [type = ''], options: { data = '', delay = 0, repeatKey = '' } }) {
    const { topology, requestIds } = await session();
    const dataJson = await readText(data);
    const request = { requestId: requestIds.next(), type, dataJson, delayMs: delay, repeatKey };
    const { signal } = await topology.emitSignal(request);
    const due = delay > 0 ? `, due ${toTime(signal?.dueAt)}` : '';
    return textView(`Signal ${signal?.id ?? ''} ${type}${due}`, signal);
  },
});

const subscribe = defineCommand<ForAgent & { loud?: boolean }>({
  name: 'subscribe',
  description: 'let an agent hear signals; silently unless told otherwise',
  args: [pattern],
  options: [agentOption, ['--loud', 'the agent starts a turn about each']],
  examples: ['signal subscribe "build:*"', 'signal subscribe "build:*" --loud --agent clx3k2…'],
  async run({ session, args: [wanted = ''], options: { agent, loud = false } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    const request = { requestId, pattern: wanted, silent: !loud, agentId };
    const { subscription } = await opened.topology.subscribeSignal(request);
    return textView(`Agent ${agentId} hears ${wanted}${loud ? '' : ' silently'}`, subscription);
  },
});

const unsubscribe = defineCommand<ForAgent>({
  name: 'unsubscribe',
  description: 'end a subscription of an agent',
  args: [pattern],
  options: [agentOption],
  examples: ['signal unsubscribe "build:*"'],
  hints: { NOT_FOUND: 'See the subscriptions in "daycare topology".' },
  async run({ session, args: [ended = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    await opened.topology.unsubscribeSignal({ requestId, pattern: ended, agentId });
    return textView(`Agent ${agentId} no longer hears ${ended}`, { agentId, pattern: ended });
  },
});

const states = ['waiting', 'emitted'] as const;

const events = defineCommand<Limited & { pattern?: string; state?: (typeof states)[number] }>({
  name: 'events',
  description: 'the signals there were and those that wait, newest first',
  options: [
    limitOption,
    ['--pattern <pattern>', 'only types that fit'],
    ['--state <state>', 'only signals in this state', { choices: states }],
  ],
  examples: ['signal events', 'signal events --pattern "build:*" --limit 5 -o json'],
  async run({ session, options: { limit, pattern: wanted = '', state } }) {
    const { topology } = await session();
    const inState = state ? toState[state] : SignalState.UNSPECIFIED;
    const signals = await collect(limit, async (page) => {
      const request = { ...page, pattern: wanted, state: inState };
      const { signals: items, nextPageToken } = await topology.listSignals(request);
      return { items, nextPageToken };
    });
    return tableView(
      signals,
      [
        ['ID', ({ id }) => id],
        ['TYPE', ({ type }) => type],
        ['STATE', (signal) => toWord('SIGNAL_STATE', signal.state)],
        ['DUE', ({ dueAt }) => toTime(dueAt)],
        ['FROM', ({ agentId }) => agentId],
        ['DATA', ({ dataJson }) => dataJson],
      ],
      'There were no signals.',
    );
  },
});

const toState = { waiting: SignalState.WAITING, emitted: SignalState.EMITTED } as const;

export const signalCommands: readonly AnyCommand[] = [emit, subscribe, unsubscribe, events];
