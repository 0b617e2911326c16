import type { Page } from 'playwright-core';

/** A span in a browser's trace; times in microseconds. */
interface Span {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time. */
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly type?: string } };
}

const inputs = ['click', 'keydown', 'wheel'];
/** The last thing that the page's thread does for a frame. */
const frameEnd = 'Layerize';

/**
 * Runs an action in a page; resolves to the CPU milliseconds that the page's thread spent on each input, from
 * handling the input until the next frame was laid out and painted. The work of other processes does not
 * count.
 */
export async function traceWork(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['-*', 'devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly Span[];
  };
  return workOf(traceEvents);
}

function workOf(all: readonly Span[]): readonly number[] {
  const input = all.find(isInput);
  const spans = all
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === input?.pid && tid === input.tid)
    .sort((one, other) => one.ts - other.ts || endOf(other) - endOf(one));
  const outermost = withoutNested(spans);
  return spans.filter(isInput).flatMap(({ ts: from }) => {
    const frame = spans.find(({ name, ts }) => name === frameEnd && ts > from);
    if (!frame) return [];
    const overlapping = outermost.filter((span) => span.ts < endOf(frame) && endOf(span) > from);
    return [overlapping.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000];
  });
}

function isInput({ name, args }: Span): boolean {
  return name === 'EventDispatch' && inputs.includes(args?.data?.type ?? '');
}

function withoutNested(spans: readonly Span[]): readonly Span[] {
  let end = 0;
  return spans.filter((span) => {
    const isOutermost = span.ts >= end;
    if (isOutermost) end = endOf(span);
    return isOutermost;
  });
}

function endOf({ ts, dur = 0 }: Span): number {
  return ts + dur;
}
