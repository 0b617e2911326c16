import { cutText } from './cut-text';

/** What brought a program to an end before its own. */
export type KilledBy = 'time' | 'output' | 'memory' | 'quota';

/** How a program ended and what it said. */
export interface ProgramEnd {
  /** As a shell has it: 128 and the signal's number when one ended it. Undefined when it was killed. */
  readonly exitCode: number | undefined;
  readonly killedBy: KilledBy | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutCut: boolean;
  readonly stderrCut: boolean;
}

/** The same for a model to read. */
export interface ProgramReport {
  readonly summary: string;
  readonly exitCode?: number;
  readonly killedBy?: KilledBy;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutCut: boolean;
  readonly stderrCut: boolean;
}

// Together they leave a result whole, which would otherwise be cut at a place that says nothing.
const mostCharacters = 7_000;
const leastForErrors = 2_000;

const killings: Record<KilledBy, string> = {
  time: 'Killed: it took longer than it may',
  output: 'Killed: it printed more than it may',
  memory: 'Killed: it used more memory than it may',
  quota: 'Killed: there is no room left for more files',
};

/** Fits what a program said into a tool's result; complaints give way to what it printed, up to a point. */
export function reportOf(end: ProgramEnd): ProgramReport {
  const { exitCode, killedBy } = end;
  const roomForErrors = mostCharacters - JSON.stringify(end.stdout).length;
  const stderr = cutText(end.stderr, Math.max(leastForErrors, roomForErrors));
  const stdout = cutText(end.stdout, mostCharacters - JSON.stringify(stderr).length);
  const stdoutCut = end.stdoutCut || stdout !== end.stdout;
  const stderrCut = end.stderrCut || stderr !== end.stderr;
  const how = killedBy ? killings[killedBy] : `Exit code ${exitCode ?? 0}`;
  const hint =
    '; only the beginning of what it printed is here, have it write to a file to see more';
  return {
    summary: stdoutCut || stderrCut ? how + hint : how,
    ...(killedBy ? { killedBy } : { exitCode: exitCode ?? 0 }),
    stdout,
    stderr,
    stdoutCut,
    stderrCut,
  };
}
