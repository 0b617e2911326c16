import { describe, expect, it } from '@jest/globals';
import { busyTimeOf, type CpuProfile } from './busy-time';
import { formatProfiles } from './profile-table';

const frame = (functionName: string, url = '', lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
});

const bundle = 'file:///dist/app/bundle.js';
const frames = [
  frame('(idle)'),
  frame('(garbage collector)'),
  frame('writeBuffer'),
  frame('request', 'node:internal/http2/core'),
  frame('emit', 'node:events'),
  frame('insert', bundle, 1),
  frame('decide', bundle, 2),
  frame('lost', bundle, 3),
  frame('mystery'),
];
const sources = ['', '../node_modules/@grpc/grpc-js/src/a.ts', '../apps/topology/src/b.ts'];

const profile: CpuProfile = {
  nodes: frames.map((callFrame, id) => ({ id, callFrame })),
  samples: [0, 1, 2, 3, 4, 5, 6, 7, 8, 6],
  timeDeltas: [900, 1, 2, 3, 4, 5, 6, 7, 8, 10],
};

const busy = busyTimeOf(profile, ({ lineNumber }) => sources[lineNumber]);

describe('busyTimeOf', () => {
  it('busy time is counted by package, and for native functions by purpose, without idle time', () => {
    expect(Object.fromEntries(busy)).toEqual({
      'garbage collection': 1,
      'writing to sockets': 2,
      'Node: http2': 3,
      'Node: everything else': 4,
      '@grpc/grpc-js': 5,
      Daycare: 16,
      unknown: 7,
      'V8 and its natives': 8,
    });
  });
});

describe('formatProfiles', () => {
  it('the profile table shows each package’s share per process, largest first, without those that are small in every process', () => {
    const small = new Map([...busy, ['tiny', 0.1]]);
    const lines = formatProfiles([{ process: 'topology', busy: small }]).split('\n');
    expect(lines[2]).toMatch(/^Daycare\s+34\.7 %$/);
    expect(lines.join('\n')).not.toContain('tiny');
    expect(lines.at(-1)).toMatch(/^seconds\s+0\.0$/);
  });
});
