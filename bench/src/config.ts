import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]

  --quick        a second per cell instead of three
  --only <text>  only bare limits and workloads with this in their name,
                 and the bare limits those workloads are compared with
  --h2load       also drive the servers with h2load (Debian: nghttp2-client)
  --json         write the report to standard output instead of the table
  --help         show this`;

/** How long each thing is measured. */
export interface Pace {
  /** Between two probes; what is busy then is not us. */
  readonly restMs: number;
  /** Before the first cell of a probe, so that both ends have compiled their code. */
  readonly firstWarmUpMs: number;
  /** Before each cell. */
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface Config {
  readonly pace: Pace;
  readonly quick: boolean;
  readonly only: string;
  readonly h2load: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** What the stack and its services run with. */
  readonly env: NodeJS.ProcessEnv;
}

const fullPace: Pace = { restMs: 500, firstWarmUpMs: 1_500, warmUpMs: 500, measureMs: 2_500 };
const quickPace: Pace = { restMs: 300, firstWarmUpMs: 500, warmUpMs: 200, measureMs: 800 };

/** Reads the command line and the environment; throws on an option there is not. */
export function readConfig(args: readonly string[]): Config {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      h2load: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return Object.freeze({
    ...values,
    pace: values.quick ? quickPace : fullPace,
    env: keepOwnServers(process.env),
  });
}

const passedOn = new Set(['DAYCARE_MONGOD', 'DAYCARE_NATS_SERVER']);

/** A bench writes a lot, so it never uses servers, databases or ports that somebody configured. */
export function keepOwnServers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => passedOn.has(name) || !name.startsWith('DAYCARE_'),
  );
  return Object.fromEntries(kept);
}
