import type { Cell } from '../measure/result';
import { findCell, ratiosOf } from '../report/ratio';
import type { Report } from '../report/report';

/** One row in the comparison of two runs. */
export interface ComparisonRow {
  readonly what: string;
  readonly goal: string;
  /** The cell whose costs the row shows; undefined if the row's figure does not come from a cell. */
  readonly cellOf: (report: Report) => Cell | undefined;
  /** The figure that is compared with the goal; undefined if it was not measured. */
  readonly valueOf: (report: Report) => number | undefined;
  readonly isReached: (after: number, before: number | undefined) => boolean;
  readonly unit: 'times' | 'ms' | 'count' | 'percent' | 'growth';
}

const send = 'social-graph SendFriendMessage, delivered';
const stream = 'social-graph SendFriendMessages, delivered';
const befriend = 'social-graph ask and accept';
const post = 'agent-runtime PostMessage, answered, 64 agents';

/** The rows in a comparison of two runs, with the goals for the hot path. */
export const comparisonRows: readonly ComparisonRow[] = [
  ratioRow('SendFriendMessage, delivered', send, 'mongo-insert', 0.65),
  ratioRow('SendFriendMessages (stream), delivered', stream, 'mongo-insert', 1),
  ratioRow(
    'friend message, turn begun',
    `social-graph SendFriendMessage, turn begun`,
    'mongo-insert',
    0.45,
  ),
  ratioRow('ask and accept', befriend, 'mongo-insert', 0.2),
  ratioRow('PostMessage, answered, 64 agents', post, 'mongo-insert', 0.5),
  ratioRow('GetUser', 'identity GetUser', 'grpc-echo', 0.7),
  ratioRow('ResolveNametag', 'identity ResolveNametag', 'grpc-echo', 0.7),
  latencyRow(
    'topology of 1,600 entries, unchanged',
    'topology GetTopology, 1,600 entries, unchanged',
    15,
  ),
  latencyRow('topology of 1,600 entries, cold', 'topology GetTopology, 1,600 entries, cold', 40),
  noWorseRow('one in flight: send', send),
  noWorseRow('one in flight: ask', 'social-graph AddFriend, asking'),
  noWorseRow('one in flight: post', post),
  {
    what: 'MongoDB commands per delivered message',
    goal: '≤ 0.30',
    unit: 'count',
    cellOf: (report) => findCell(report.results, send, 64),
    valueOf: (report) => findCell(report.results, send, 64)?.costs?.mongoCommands,
    isReached: (after) => after <= 0.3,
  },
  growthRow(
    'friends × 100, send',
    send,
    'growth: SendFriendMessage, 2,000 friends instead of 20',
    64,
  ),
  growthRow('ties × 100, send', send, 'growth: SendFriendMessage, 128,000 ties of others', 64),
  growthRow(
    'ties × 100, ask and accept',
    befriend,
    'growth: ask and accept, 128,000 ties of others',
    64,
  ),
  growthRow(
    'history × 10,000, post to turn',
    'growth: PostMessage to turn seen, 10 records',
    'growth: PostMessage to turn seen, 100,000 records',
    1,
  ),
  {
    what: 'the stack at rest, share of a core',
    goal: '≤ 3 %',
    unit: 'percent',
    cellOf: () => undefined,
    valueOf: ({ rest }) => rest.coreShare,
    isReached: (after) => after <= 0.03,
  },
];

/** Returns a row for a workload's rate at 64 in flight, divided by the rate of a baseline such as a plain MongoDB insert; see `ratiosOf`. */
function ratioRow(what: string, name: string, limit: string, goal: number): ComparisonRow {
  const cellOf = ({ results }: Report): Cell | undefined => findCell(results, name, 64);
  return {
    what,
    goal: `≥ ${goal} × ${limit}`,
    unit: 'times',
    cellOf,
    valueOf(report) {
      const cell = cellOf(report);
      return cell && ratiosOf(cell, [limit], report.results)[0]?.ratio;
    },
    isReached: (after) => after >= goal,
  };
}

function latencyRow(what: string, name: string, maxMs: number): ComparisonRow {
  const cellOf = ({ results }: Report): Cell | undefined => findCell(results, name, 1);
  return {
    what: `${what}, p50`,
    goal: `≤ ${maxMs} ms`,
    unit: 'ms',
    cellOf,
    valueOf: (report) => cellOf(report)?.p50Ms,
    isReached: (after) => after <= maxMs,
  };
}

function noWorseRow(what: string, name: string): ComparisonRow {
  const cellOf = ({ results }: Report): Cell | undefined => findCell(results, name, 1);
  return {
    what: `${what}, p50`,
    goal: 'no worse',
    unit: 'ms',
    cellOf,
    valueOf: (report) => cellOf(report)?.p50Ms,
    isReached: (after, before) => before === undefined || after <= before,
  };
}

/** Returns a row for how much more CPU time a call takes with more data than with less, within one run. */
function growthRow(what: string, base: string, grown: string, inFlight: number): ComparisonRow {
  const cellOf = ({ results }: Report): Cell | undefined => findCell(results, grown, inFlight);
  return {
    what,
    goal: '< 15 % more CPU',
    unit: 'growth',
    cellOf,
    valueOf(report) {
      const baseUs = findCell(report.results, base, inFlight)?.costs?.cpuUs;
      const grownUs = cellOf(report)?.costs?.cpuUs;
      return baseUs && grownUs ? grownUs / baseUs - 1 : undefined;
    },
    isReached: (after) => after < 0.15,
  };
}
