import { truncateForJson } from '../../shared/text/truncate-for-json';

/** The limit because of which a program was killed. */
export type KilledBy = 'time' | 'output' | 'memory' | 'quota';

/** How a program ended and what it printed. */
export interface ProgramEnd {
  /**
   * The exit code as in a shell: 128 plus the signal number when a signal ended the program. Undefined when the
   * program was killed because of a limit.
   */
  readonly exitCode: number | undefined;
  readonly killedBy: KilledBy | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutCut: boolean;
  readonly stderrCut: boolean;
}

/** How a program ended and what it printed, for a model to read. */
export interface ProgramReport {
  readonly summary: string;
  readonly exitCode?: number;
  readonly killedBy?: KilledBy;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutCut: boolean;
  readonly stderrCut: boolean;
}

// stdout and stderr together must fit into a tool result, which would otherwise be truncated at an arbitrary point.
const maxCharacters = 7_000;
const minErrorCharacters = 2_000;

const killReasons: Record<KilledBy, string> = {
  time: 'Killed: it exceeded its time limit',
  output: 'Killed: it exceeded its output limit',
  memory: 'Killed: it exceeded its memory limit',
  quota: 'Killed: the file quota is used up or the disk is nearly full',
};

/**
 * Fits a program's output into a tool result: stderr may use what stdout leaves, and always at least
 * `minErrorCharacters`; stdout may use the rest.
 */
export function reportOf(end: ProgramEnd): ProgramReport {
  const { exitCode, killedBy } = end;
  const maxErrorCharacters = maxCharacters - JSON.stringify(end.stdout).length;
  const stderr = truncateForJson(end.stderr, Math.max(minErrorCharacters, maxErrorCharacters));
  const stdout = truncateForJson(end.stdout, maxCharacters - JSON.stringify(stderr).length);
  const stdoutCut = end.stdoutCut || stdout !== end.stdout;
  const stderrCut = end.stderrCut || stderr !== end.stderr;
  const outcome = killedBy ? killReasons[killedBy] : `Exit code ${exitCode ?? 0}`;
  const hint = '; its output was truncated, so have it write to a file to see the rest';
  return {
    summary: stdoutCut || stderrCut ? outcome + hint : outcome,
    ...(killedBy ? { killedBy } : { exitCode: exitCode ?? 0 }),
    stdout,
    stderr,
    stdoutCut,
    stderrCut,
  };
}
