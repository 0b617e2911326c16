import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Whatever grows or shrinks, the end stays visible while it is followed. */
export function useStayAtEnd(
  pane: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
  isFollowing: RefObject<boolean>,
): void {
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isFollowing.current && pane.current) pane.current.scrollTop = pane.current.scrollHeight;
    });
    if (pane.current) observer.observe(pane.current);
    if (content.current) observer.observe(content.current);
    return () => observer.disconnect();
  }, []);
}

const upwards = ['ArrowUp', 'PageUp', 'Home'];
const leavingMs = 400;

/**
 * Calls `onLeave` as soon as the person begins to scroll up. Scrolling is animated by the browser, and rows that are added
 * meanwhile would bring the end back before it has moved. The result is true while that may be going on.
 */
export function useLeaving(
  pane: RefObject<HTMLDivElement | null>,
  onLeave: () => void,
): RefObject<boolean> {
  const leaving = useRef(false);
  const latest = useRef(onLeave);
  latest.current = onLeave;
  useEffect(() => {
    const { current: view } = pane;
    if (!view) return undefined;
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Where it has come to decides whether the end is followed. */
    const settle = (): void => {
      leaving.current = false;
      view.dispatchEvent(new Event('scroll'));
    };
    const leave = (): void => {
      clearTimeout(timer);
      timer = setTimeout(settle, leavingMs);
      if (view.scrollHeight <= view.clientHeight) return;
      leaving.current = true;
      latest.current();
    };
    const options = { signal: end.signal, passive: true };
    view.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && leave(), options);
    view.addEventListener('touchmove', leave, options);
    view.addEventListener('keydown', ({ key }) => upwards.includes(key) && leave(), options);
    // The scrollbar: the press is on the pane itself.
    const onPress = ({ target }: Event): void => void (target === view && leave());
    view.addEventListener('pointerdown', onPress, options);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, []);
  return leaving;
}

/** What rows have been measured, by their keys. */
export interface Heights {
  readonly byKey: Map<string | number, number>;
  /** Changes with every height. */
  version: number;
}

/** Records the heights of the rows on the page; `onChanged` is called when some have changed. */
export function useMeasure(
  heights: RefObject<Heights>,
  onChanged: () => void,
): (row: HTMLDivElement | null) => (() => void) | undefined {
  const latest = useRef(onChanged);
  latest.current = onChanged;
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const changed = entries.filter(({ target }) => record(heights.current.byKey, target));
        if (changed.length === 0) return;
        heights.current.version += 1;
        latest.current();
      }),
    [],
  );
  useEffect(() => () => observer.disconnect(), []);
  return useMemo(
    () => (row: HTMLDivElement | null) => {
      if (!row) return undefined;
      observer.observe(row);
      return () => observer.unobserve(row);
    },
    [],
  );
}

function record(known: Map<string | number, number>, target: Element): boolean {
  const { key } = (target as HTMLElement).dataset;
  if (key === undefined || !target.isConnected) return false;
  const height = (target as HTMLElement).offsetHeight;
  const name = /^\d+$/.test(key) ? Number(key) : key;
  if (known.get(name) === height) return false;
  known.set(name, height);
  return true;
}
