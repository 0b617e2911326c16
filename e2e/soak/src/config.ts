import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { appNames, type AppName } from '@daycare/local-stack';

export const usage = `npm run soak -- [options]

  --messages <n>   number of messages to send (50000)
  --agents <n>     number of agents that receive them (500)
  --senders <n>    number of concurrent senders (50)
  --replicas <n>   number of agent-runtime replicas (3)
  --kill-every-ms <n>  interval at which a replica is killed and restarted (1000)
  --seed <n>       seed for all random choices (default: random)
  --cluster        run on a sharded MongoDB
  --help           show this

npm run soak -- --contexts [options]

  --turns <n>      number of turns for one agent whose model has a small window (10000)
  --window <n>     the model's context window, in tokens (32000)
  --bytes-per-token <n>  bytes of text that the model counts as one token (4)
  --hostile        every other message is from a friend who tries to overflow the context

npm run soak -- --flood [options]

  --seconds <n>    how long to flood each service and a gateway, from one anonymous address and one
                   account (60)
  --only <name>    flood only this target, for example identity or gateway

npm run soak -- --revocations <n>

  add <n> revocations, for example 250000, then measure how soon four ways of ending tokens take effect

npm run soak -- --gateway-streams <n>

  open <n> streams through one gateway, for example 5000, and send to all of them

npm run soak -- --sizes <n>

  measure the space that <n> users, for example 200, and their friends, messages and memories take in MongoDB

npm run soak -- --console [options]

  --seconds <n>    how long to use a large account's console in chromium while messages arrive (60)
  --no-precedence  let the services compete with chromium for the processors; otherwise chromium has precedence,
                   as if it had its own machine

npm run soak -- --upgrade-from <folder>

  under load, replace another build's services with those of this build; <folder> is the other build's dist
  folder`;

export interface SoakConfig {
  readonly messages: number;
  readonly agents: number;
  readonly senders: number;
  readonly replicas: number;
  readonly killEveryMs: number;
  readonly seed: number;
  readonly cluster: boolean;
  readonly contexts: boolean;
  readonly turns: number;
  readonly window: number;
  readonly bytesPerToken: number;
  readonly hostile: boolean;
  readonly flood: boolean;
  /** What is flooded; empty for everything. */
  readonly only: AppName | '';
  readonly seconds: number;
  /** How many revocations are added; 0 without `--revocations`. */
  readonly revocations: number;
  /** How many streams are opened; 0 without `--gateway-streams`. */
  readonly gatewayStreams: number;
  /** For how many users sizes are measured; 0 without `--sizes`. */
  readonly sizes: number;
  readonly console: boolean;
  /** Whether the browser has precedence over the services. */
  readonly precedence: boolean;
  /** The dist folder of the other build; empty without `--upgrade-from`. */
  readonly upgradeFrom: string;
  readonly help: boolean;
}

/** Reads the command line; throws on an unknown option or an invalid value. */
export function readConfig(args: readonly string[]): SoakConfig {
  const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      messages: number(50_000),
      agents: number(500),
      senders: number(50),
      replicas: number(3),
      'kill-every-ms': number(1_000),
      seed: number(Math.floor(Math.random() * 1_000_000)),
      cluster: { type: 'boolean', default: false },
      contexts: { type: 'boolean', default: false },
      turns: number(10_000),
      window: number(32_000),
      'bytes-per-token': number(4),
      hostile: { type: 'boolean', default: false },
      flood: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      seconds: number(60),
      revocations: { type: 'string' },
      'gateway-streams': { type: 'string' },
      sizes: { type: 'string' },
      console: { type: 'boolean', default: false },
      'no-precedence': { type: 'boolean', default: false },
      'upgrade-from': { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  return Object.freeze({
    messages: toCount('messages', values.messages),
    agents: toCount('agents', values.agents),
    senders: toCount('senders', values.senders),
    replicas: toCount('replicas', values.replicas),
    killEveryMs: toCount('kill-every-ms', values['kill-every-ms']),
    seed: toCount('seed', values.seed),
    cluster: values.cluster,
    contexts: values.contexts,
    turns: toCount('turns', values.turns),
    window: toCount('window', values.window),
    bytesPerToken: toCount('bytes-per-token', values['bytes-per-token']),
    hostile: values.hostile,
    flood: values.flood,
    only: toAppName(values.only),
    seconds: toCount('seconds', values.seconds),
    revocations: optionalCount('revocations', values.revocations),
    gatewayStreams: optionalCount('gateway-streams', values['gateway-streams']),
    sizes: optionalCount('sizes', values.sizes),
    console: values.console,
    precedence: !values['no-precedence'],
    upgradeFrom: values['upgrade-from'] && resolve(values['upgrade-from']),
    help: values.help,
  });
}

function optionalCount(option: string, value: string | undefined): number {
  return value === undefined ? 0 : toCount(option, value);
}

function toAppName(value: string): AppName | '' {
  const app = appNames.find((name) => name === value);
  if (value !== '' && !app) throw new Error(`--only must be one of ${appNames.join(', ')}`);
  return app ?? '';
}

function toCount(option: string, value: string): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`--${option} must be a whole number above 0, not '${value}'`);
}
