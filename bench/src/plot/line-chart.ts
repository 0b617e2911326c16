import { formatTick } from './format-tick';
import { element, palette, picture, text, ticksUpTo } from './svg';

export interface Line {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface LineChart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
}

const width = 980;
const height = 420;
const area = { left: 70, right: 380, top: 48, bottom: 48 };

/** Draws lines over a logarithmic x axis as SVG. */
export function drawLineChart({ title, xLabel, yLabel, lines }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const ticks = ticksUpTo(Math.max(0, ...points.map(({ y }) => y)));
  const [first, last] = [Math.log(xs[0] ?? 1), Math.log(xs.at(-1) ?? 1)];
  const span = last - first || 1;
  const [innerWidth, innerHeight] = [
    width - area.left - area.right,
    height - area.top - area.bottom,
  ];
  const toX = (x: number): number => area.left + ((Math.log(x) - first) / span) * innerWidth;
  const toY = (y: number): number => area.top + (1 - y / ticks.at(-1)!) * innerHeight;
  const horizontal = ticks.flatMap((tick) => [
    element('line', {
      x1: area.left,
      x2: area.left + innerWidth,
      y1: toY(tick),
      y2: toY(tick),
      stroke: '#e4e4e4',
    }),
    text(area.left - 8, toY(tick) + 4, formatTick(tick), { 'text-anchor': 'end', fill: '#666' }),
  ]);
  const bottom = height - area.bottom;
  const vertical = xs.map((x) =>
    text(toX(x), bottom + 16, formatTick(x), { 'text-anchor': 'middle', fill: '#666' }),
  );
  return picture(width, height, [
    text(12, 22, title, { 'font-size': 15, 'font-weight': 600 }),
    text(12, 40, yLabel, { fill: '#666' }),
    text(area.left + innerWidth, bottom + 34, xLabel, { 'text-anchor': 'end', fill: '#666' }),
    ...horizontal,
    ...vertical,
    ...lines.flatMap((line, index) => drawLine(line, index, toX, toY)),
  ]);
}

function drawLine(
  { name, points }: Line,
  index: number,
  toX: (x: number) => number,
  toY: (y: number) => number,
): string[] {
  const stroke = palette[index % palette.length]!;
  const path = points.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ');
  const legendY = area.top + 10 + index * 20;
  const legendX = width - area.right + 20;
  const dash = index < palette.length ? {} : { 'stroke-dasharray': '6 4' };
  const key = { x1: legendX, x2: legendX + 22, y1: legendY - 4, y2: legendY - 4 };
  return [
    element('polyline', { points: path, fill: 'none', stroke, 'stroke-width': 2, ...dash }),
    ...points.map(({ x, y }) => element('circle', { cx: toX(x), cy: toY(y), r: 3, fill: stroke })),
    element('line', { ...key, stroke, 'stroke-width': 3, ...dash }),
    text(legendX + 28, legendY, name),
  ];
}
