import { describe, expect, it } from '@jest/globals';
import type { Result } from '../measure/result';
import { makeCell, makeCosts } from '../test-support/make-cell';
import { makeReport } from '../test-support/make-report';
import { drawCharts } from './charts';
import { element, escapeXml, ticksUpTo } from './svg';

const makeResult = (name: string, baseline: string[], concurrencies = [64]): Result => {
  const costs = makeCosts({ cpuUs: 300, cpuUsBy: { mongod: 100, bench: 200 } });
  const cells = concurrencies.map((inFlight) => makeCell({ inFlight, costs }));
  return { name, baseline, busyBefore: 0, cells };
};

describe('svg', () => {
  it('text and attributes in an SVG are escaped', () => {
    expect(escapeXml('a < "b" & c')).toBe('a &lt; &quot;b&quot; &amp; c');
    expect(element('rect', { x: 1.005, id: '"' })).toBe('<rect x="1" id="&quot;"/>');
  });

  it('an axis has round ticks that reach the maximum', () => {
    expect(ticksUpTo(7_098)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
    expect(ticksUpTo(0.65)).toHaveLength(5);
    expect(ticksUpTo(0)).toEqual([0, 1]);
  });
});

describe('drawCharts', () => {
  const insert = makeResult('mongo-insert', []);
  const send = makeResult('send & deliver', ['mongo-insert'], [1, 16, 64, 256]);
  const growth = makeResult('growth: more ties', ['mongo-insert']);
  const report = makeReport([insert, send, growth], 0);
  const runs = [
    { label: 'before', report },
    { label: 'after', report },
  ];

  it('every chart that has figures is drawn', () => {
    expect(drawCharts(runs).map(({ name }) => name)).toEqual([
      'cpu-per-operation.svg',
      'share-of-bare-limit.svg',
      'growth.svg',
      'in-flight.svg',
    ]);
    const sparse = drawCharts([{ label: 'run', report: makeReport([insert], 0) }]);
    expect(sparse.map(({ name }) => name)).toEqual(['cpu-per-operation.svg']);
  });

  it('the CPU chart has a bar for each run and measurement, lists processes in order and leaves out growth workloads', () => {
    const { svg } = drawCharts(runs)[0]!;
    expect(svg.match(/before<\/text>/g)).toHaveLength(2);
    const legend = svg.indexOf('>bench<');
    expect(legend).toBeGreaterThan(0);
    expect(legend).toBeLessThan(svg.indexOf('>mongod<'));
    expect(svg).toContain('send &amp; deliver');
    expect(svg).not.toContain('growth: more ties');
  });

  it('identical figures give identical charts, without undefined values', () => {
    const [first, second] = [drawCharts(runs), drawCharts(runs)];
    expect(first).toEqual(second);
    for (const { svg } of first) {
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      expect(svg.startsWith('<svg ')).toBe(true);
    }
  });
});
