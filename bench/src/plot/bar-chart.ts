import { formatTick } from './format-tick';
import { element, palette, picture, text, ticksUpTo } from './svg';

export interface Segment {
  /** Segments with the same name have the same colour throughout the chart. */
  readonly name: string;
  readonly value: number;
}

/** One bar, made of segments from left to right. */
export interface Bar {
  readonly label: string;
  readonly segments: readonly Segment[];
}

export interface BarChart {
  readonly title: string;
  readonly unit: string;
  /** The order of the colours and of the legend. */
  readonly segmentNames: readonly string[];
  /** Bars that belong together, under a heading. */
  readonly groups: readonly { readonly heading: string; readonly bars: readonly Bar[] }[];
}

const width = 900;
const left = 90;
const right = 90;
const barHeight = 16;
const headingHeight = 20;
const groupGap = 10;
const top = 64;

/** Draws horizontal bars as SVG. */
export function drawBarChart({ title, unit, segmentNames, groups }: BarChart): string {
  const bars = groups.flatMap((group) => group.bars);
  const ticks = ticksUpTo(Math.max(0, ...bars.map(totalOf)));
  const toX = (value: number): number => left + (value / ticks.at(-1)!) * (width - left - right);
  const colourOf = (name: string): string =>
    palette[Math.max(0, segmentNames.indexOf(name)) % palette.length]!;
  const drawn: string[] = [];
  let y = top;
  for (const { heading, bars: members } of groups) {
    drawn.push(text(12, y + 14, heading, { 'font-weight': 600 }));
    y += headingHeight;
    for (const bar of members) {
      drawn.push(...drawBar(bar, y, toX, colourOf));
      y += barHeight + 3;
    }
    y += groupGap;
  }
  const frame = [
    text(12, 22, title, { 'font-size': 15, 'font-weight': 600 }),
    ...drawLegend(segmentNames, colourOf),
    ...drawTicks(ticks, toX, y, unit),
  ];
  return picture(width, y + 34, [...frame, ...drawn]);
}

function drawBar(
  bar: Bar,
  y: number,
  toX: (value: number) => number,
  colourOf: (name: string) => string,
): string[] {
  let sum = 0;
  const segments = bar.segments.map(({ name, value }) => {
    const x = toX(sum);
    sum += value;
    const size = { x, y, width: toX(sum) - x, height: barHeight };
    return element('rect', { ...size, fill: colourOf(name) });
  });
  const label = text(left - 8, y + 12, bar.label, { 'text-anchor': 'end' });
  return [label, ...segments, text(toX(sum) + 5, y + 12, formatTick(sum))];
}

function drawLegend(names: readonly string[], colourOf: (name: string) => string): string[] {
  if (names.length < 2) return [];
  let x = 12;
  return names.flatMap((name) => {
    const box = element('rect', { x, y: 36, width: 11, height: 11, fill: colourOf(name) });
    const label = text(x + 15, 46, name);
    x += 34 + name.length * 7;
    return [box, label];
  });
}

function drawTicks(
  ticks: readonly number[],
  toX: (value: number) => number,
  bottom: number,
  unit: string,
): string[] {
  const lines = ticks.flatMap((tick) => [
    element('line', { x1: toX(tick), x2: toX(tick), y1: top, y2: bottom, stroke: '#e4e4e4' }),
    text(toX(tick), bottom + 14, formatTick(tick), { 'text-anchor': 'middle', fill: '#666' }),
  ]);
  return [
    ...lines,
    text(width - right + 6, bottom + 28, unit, { fill: '#666', 'text-anchor': 'end' }),
  ];
}

function totalOf({ segments }: Bar): number {
  return segments.reduce((sum, { value }) => sum + value, 0);
}
