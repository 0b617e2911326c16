import { describe, expect, it } from '@jest/globals';
import { renderLogLine } from './render-log-line';

describe('renderLogLine', () => {
  it('shows time, level, message and fields of a pino line', () => {
    const line = JSON.stringify({
      level: 40,
      time: Date.UTC(2030, 0, 1, 12, 3, 4, 5),
      pid: 7,
      hostname: 'h',
      service: 'identity',
      rpc: 'CreateUser',
      tookMs: 12,
      msg: 'slow call',
    });
    expect(renderLogLine(line)).toBe('12:03:04.005 WARN  slow call rpc=CreateUser tookMs=12');
  });

  it('accepts levels and times given as text', () => {
    const line = '{"level":"info","time":"2030-01-01T12:03:04.005Z","msg":"ready","port":1}';
    expect(renderLogLine(line)).toBe('12:03:04.005 INFO  ready port=1');
  });

  it('shows the stack trace of a logged error below the line', () => {
    const line = JSON.stringify({
      level: 50,
      time: 0,
      msg: 'oh',
      err: { stack: 'Error: x\n  at y' },
    });
    expect(renderLogLine(line)).toBe('00:00:00.000 ERROR oh\n  Error: x\n    at y');
  });

  it('shows a mongod log line in the same form as a pino line', () => {
    const line =
      '{"t":{"$date":"2030-01-01T12:03:04.005+00:00"},"s":"E","c":"CONTROL","id":1,"ctx":"main",' +
      '"msg":"Disk full","attr":{"code":28}}';
    expect(renderLogLine(line)).toBe('12:03:04.005 ERROR Disk full code=28');
  });

  it.each(['plain text', '{"half":', '{"some":"json"}', ''])('leaves %j unchanged', (line) => {
    expect(renderLogLine(line)).toBe(line);
  });
});
