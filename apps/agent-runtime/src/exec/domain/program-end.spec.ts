import { describe, expect, it } from '@jest/globals';
import { reportOf, type ProgramEnd } from './program-end';
import { truncateResult } from '../../tools/domain/tool-outcome';

const programEnd = (overrides: Partial<ProgramEnd> = {}): ProgramEnd => ({
  exitCode: 0,
  killedBy: undefined,
  stdout: '',
  stderr: '',
  stdoutCut: false,
  stderrCut: false,
  ...overrides,
});

describe('reportOf', () => {
  it('reports how a program ended and what it printed', () => {
    expect(reportOf(programEnd({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' }))).toEqual({
      summary: 'Exit code 3',
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      stdoutCut: false,
      stderrCut: false,
    });
  });

  it.each(['time', 'output', 'memory', 'quota'] as const)(
    'reports no exit code for a program killed because of the limit on %s',
    (killedBy) => {
      const report = reportOf(programEnd({ exitCode: undefined, killedBy }));
      expect(report).toMatchObject({ killedBy, summary: expect.stringMatching(/^Killed: /) });
      expect(report).not.toHaveProperty('exitCode');
    },
  );

  it.each(['x', '\0', '\u{1f600}', '"'])(
    'fits an output of 40,000 repetitions of %j into one tool result, which says that the output was truncated',
    (character) => {
      const longOutput = character.repeat(40_000);
      for (const [stdout, stderr] of [
        [longOutput, longOutput],
        [longOutput, ''],
        ['', longOutput],
      ]) {
        const report = reportOf(programEnd({ stdout: stdout!, stderr: stderr! }));
        expect(truncateResult(report).truncated).toBe(false);
        expect([report.stdoutCut, report.stderrCut]).toEqual([stdout !== '', stderr !== '']);
        expect(report.summary).toContain('write to a file');
      }
    },
  );

  it('reserves part of the report for stderr even if stdout is long, and gives stderr whatever stdout leaves unused', () => {
    const both = reportOf(programEnd({ stdout: 'o'.repeat(9_000), stderr: 'e'.repeat(9_000) }));
    expect([both.stdout.length, both.stderr.length]).toEqual([4_998, 1_998]);
    const onlyErrors = reportOf(programEnd({ stderr: 'e'.repeat(6_000) }));
    expect(onlyErrors.stderrCut).toBe(false);
  });
});
