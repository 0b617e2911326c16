import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]

  --quick        measure each cell for 0.8 s instead of 5 s, after a shorter warm-up
  --only <text>  run only probes whose name contains the text,
                 and the bare limits they are compared with
  --reach        measure only what a comparison of two runs shows
  --h2load       measure with h2load as well (Debian: nghttp2-client)
  --profile      also show in which packages the processes spend their time;
                 sampling makes everything slower
  --json         print the report as JSON instead of a table
  --help         show this help

npm run bench -- --compare <before.json> <after.json>   print two runs side by side
npm run bench -- --plot <report.json> [<later.json>]    draw the charts in docs/performance`;

/** How long to measure. */
export interface Pace {
  /** The pause before each probe, in which the load that other programs cause is measured. */
  readonly restMs: number;
  /** The longest warm-up before a probe's first cell; the warm-up ends sooner if the rate is steady. */
  readonly maxFirstWarmUpMs: number;
  /** The longest further warm-up, which precedes each cell and runs at the cell's own concurrency. */
  readonly maxWarmUpMs: number;
  /** How long a loop runs before its requests are counted. */
  readonly leadInMs: number;
  readonly measureMs: number;
}

export interface Config {
  readonly pace: Pace;
  readonly quick: boolean;
  readonly only: string;
  readonly reach: boolean;
  readonly h2load: boolean;
  /** Whether to sample where the processes spend their time. */
  readonly profile: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** Compares two reports instead of measuring. */
  readonly compare: boolean;
  /** Draws the charts of one or two reports instead of measuring. */
  readonly plot: boolean;
  /** The reports to compare or plot. */
  readonly files: readonly string[];
  /** The environment of the stack and its services. */
  readonly env: NodeJS.ProcessEnv;
}

const fullPace: Pace = {
  restMs: 500,
  maxFirstWarmUpMs: 30_000,
  maxWarmUpMs: 20_000,
  leadInMs: 500,
  measureMs: 5_000,
};
const quickPace: Pace = {
  restMs: 300,
  maxFirstWarmUpMs: 1_000,
  maxWarmUpMs: 500,
  leadInMs: 200,
  measureMs: 800,
};

/** Reads the command line and the environment; throws on an unknown option or a wrong number of files. */
export function readConfig(args: readonly string[]): Config {
  const { values, positionals: files } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      reach: { type: 'boolean', default: false },
      h2load: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      plot: { type: 'boolean', default: false },
    },
  });
  checkFiles(values, files);
  return Object.freeze({
    ...values,
    files,
    pace: values.quick ? quickPace : fullPace,
    env: withoutDaycareSettings(process.env),
  });
}

function checkFiles(
  { compare, plot }: Pick<Config, 'compare' | 'plot'>,
  files: readonly string[],
): void {
  if (compare && files.length !== 2) throw new Error('--compare takes two reports');
  if (plot && (files.length < 1 || files.length > 2))
    throw new Error('--plot takes one or two reports');
  if (!compare && !plot && files.length > 0) throw new Error(`unexpected argument '${files[0]}'`);
}

const keptSettings = new Set(['DAYCARE_MONGOD', 'DAYCARE_NATS_SERVER']);

/**
 * Returns `env` without Daycare's settings, except for the paths of the server programs: the bench writes a lot of
 * data, so it must not use configured servers.
 */
export function withoutDaycareSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => keptSettings.has(name) || !name.startsWith('DAYCARE_'),
  );
  return Object.fromEntries(kept);
}
