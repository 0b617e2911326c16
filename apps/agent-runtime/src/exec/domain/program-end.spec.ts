import { describe, expect, it } from '@jest/globals';
import { reportOf, type ProgramEnd } from './program-end';
import { cutResult } from '../../tools/domain/tool-outcome';

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
    'reports no exit code when the program was killed by %s',
    (killedBy) => {
      const report = reportOf(programEnd({ exitCode: undefined, killedBy }));
      expect(report).toMatchObject({ killedBy, summary: expect.stringMatching(/^Killed: /) });
      expect(report).not.toHaveProperty('exitCode');
    },
  );

  it.each(['x', '\0', '\u{1f600}', '"'])(
    'never exceeds the size of a tool result: %j',
    (character) => {
      const longOutput = character.repeat(40_000);
      for (const [stdout, stderr] of [
        [longOutput, longOutput],
        [longOutput, ''],
        ['', longOutput],
      ]) {
        const report = reportOf(programEnd({ stdout: stdout!, stderr: stderr! }));
        expect(cutResult(report).truncated).toBe(false);
        expect([report.stdoutCut, report.stderrCut]).toEqual([stdout !== '', stderr !== '']);
        expect(report.summary).toContain('write to a file');
      }
    },
  );

  it('reserves a share for stderr even if stdout is long, and gives it any room left', () => {
    const both = reportOf(programEnd({ stdout: 'o'.repeat(9_000), stderr: 'e'.repeat(9_000) }));
    expect([both.stdout.length, both.stderr.length]).toEqual([4_998, 1_998]);
    const complaints = reportOf(programEnd({ stderr: 'e'.repeat(6_000) }));
    expect(complaints.stderrCut).toBe(false);
  });
});
