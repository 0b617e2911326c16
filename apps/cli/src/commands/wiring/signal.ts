import { enumOf } from '@daycare/contracts/enum-words';
import { SignalState } from '@daycare/contracts/topology';
import { loadTopology } from '../../client/load-topology';
import { collect } from '../../client/rpc/pages';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { toTime, toWord, toYesNo } from '../../output/words';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { agentOption, limitOption, parseCount, type ForAgent, type Limited } from '../kit/options';

const pattern = ['<pattern>', 'signal type, where * matches exactly one segment'] as const;

const emit = defineCommand<{ data?: string; delay?: number; repeatKey?: string }>({
  name: 'emit',
  description: 'emit a signal to subscribed agents',
  args: [['<type>', 'signal type: segments joined by ":", e.g. build:done']],
  options: [
    ['--data <json>', 'JSON payload; - reads it from standard input'],
    ['--delay <seconds>', 'seconds to wait before emitting', { parse: parseCount }],
    ['--repeat-key <key>', 'replace the waiting signal that has the same type and key'],
  ],
  examples: [
    `signal emit build:done --data '{"ok":true}'`,
    'signal emit tea:ready --delay 240 --repeat-key tea',
  ],
  async run({ session, args: [type = ''], options: { data = '', delay = 0, repeatKey = '' } }) {
    const { topology, requestIds } = await session();
    const dataJson = await readText(data);
    const request = {
      requestId: requestIds.next(),
      type,
      dataJson,
      delayMs: delay * 1_000,
      repeatKey,
    };
    const { signal } = await topology.emitSignal(request);
    const done = delay > 0 ? `Scheduled for ${toTime(signal?.dueAt)}` : 'Emitted';
    return textView(`${done}: signal ${signal?.id ?? ''} ${type}.`, signal);
  },
});

const subscribe = defineCommand<ForAgent & { loud?: boolean }>({
  name: 'subscribe',
  description: 'subscribe an agent to signals; without --loud, the signals do not start turns',
  args: [pattern],
  options: [agentOption, ['--loud', 'start a turn for each signal']],
  examples: ['signal subscribe "build:*"', 'signal subscribe "build:*" --loud --agent work'],
  async run({ session, args: [signalPattern = ''], options: { agent, loud = false } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    const request = { requestId, pattern: signalPattern, silent: !loud, agentId };
    const { subscription } = await opened.topology.subscribeSignal(request);
    return textView(
      `Subscribed agent ${agentId} to ${signalPattern}${loud ? '' : ' (silent)'}.`,
      subscription,
    );
  },
});

const unsubscribe = defineCommand<ForAgent>({
  name: 'unsubscribe',
  description: 'unsubscribe an agent from signals',
  args: [['<pattern>', 'pattern from "daycare signal subscriptions"']],
  options: [agentOption],
  examples: ['signal unsubscribe "build:*"'],
  hints: { NOT_FOUND: 'Run "daycare signal subscriptions" to see the subscriptions.' },
  async run({ session, args: [signalPattern = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    const request = { requestId, pattern: signalPattern, agentId };
    await opened.topology.unsubscribeSignal(request);
    const text = `Unsubscribed agent ${agentId} from ${signalPattern}.`;
    return textView(text, { agentId, pattern: signalPattern });
  },
});

const subscriptions = defineCommand({
  name: 'subscriptions',
  description: 'list which agents receive which signals',
  examples: ['signal subscriptions', 'signal subscriptions -o json'],
  async run({ session }) {
    const shown = await loadTopology((await session()).topology, false);
    return tableView(
      shown?.signalSubscriptions?.subscriptions ?? [],
      [
        ['PATTERN', (subscription) => subscription.pattern, 'long'],
        ['AGENT', ({ agentId }) => agentId, 'id'],
        ['SILENT', ({ silent }) => toYesNo(silent)],
      ],
      'No subscriptions yet.',
    );
  },
});

const states = ['waiting', 'emitted'] as const;

const events = defineCommand<Limited & { pattern?: string; state?: (typeof states)[number] }>({
  name: 'events',
  description: 'list emitted and waiting signals, newest first',
  options: [
    limitOption,
    ['--pattern <pattern>', 'list only signals that match this pattern'],
    ['--state <state>', 'list only signals in this state', { choices: states }],
  ],
  examples: ['signal events', 'signal events --pattern "build:*" --limit 5 -o json'],
  async run({ session, options: { limit, pattern: signalPattern = '', state } }) {
    const { topology } = await session();
    const inState = state ? enumOf(SignalState, state) : SignalState.UNSPECIFIED;
    const signals = await collect(limit, async (page) => {
      const request = { ...page, pattern: signalPattern, state: inState };
      const { signals: items, nextPageToken } = await topology.listSignals(request);
      return { items, nextPageToken };
    });
    return tableView(
      signals,
      [
        ['ID', ({ id }) => id, 'id'],
        ['TYPE', ({ type }) => type, 'long'],
        ['STATE', (signal) => toWord(SignalState, signal.state)],
        ['DUE', ({ dueAt }) => dueAt],
        ['FROM', ({ agentId }) => agentId, 'id'],
        ['DATA', ({ dataJson }) => dataJson, 'long'],
      ],
      'No signals yet.',
    );
  },
});

export const signalCommands: readonly AnyCommand[] = [
  emit,
  subscribe,
  unsubscribe,
  subscriptions,
  events,
];
