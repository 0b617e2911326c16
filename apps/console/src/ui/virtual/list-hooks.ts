import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Keeps the end of the list visible while the person is following it, even if rows or the pane change size. */
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
 * Calls `onLeave` as soon as the person does something that may scroll up, e.g. touches the list. Browsers animate
 * scrolling, and rows added in the meantime would pull the list back to its end before the animation has moved it. The
 * result is true while such a scroll may be in progress.
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
    /** The position at the end of the scroll decides whether the end is followed. */
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
    // A press on the pane itself is a press on its scrollbar.
    const onPress = ({ target }: Event): void => void (target === view && leave());
    view.addEventListener('pointerdown', onPress, options);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, []);
  return leaving;
}

/** The measured heights of rows by key. */
export interface Heights {
  readonly byKey: Map<string | number, number>;
  /** Incremented whenever heights have changed. */
  version: number;
}

/** Measures the rows on the page; calls `onChanged` when heights have changed. */
export function useMeasure(
  heights: RefObject<Heights>,
  onChanged: () => void,
): (row: HTMLDivElement | null) => (() => void) | undefined {
  const latest = useRef(onChanged);
  latest.current = onChanged;
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const changed = entries.filter(({ target }) => recordHeight(heights.current.byKey, target));
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

/** Records a row's height; returns whether it has changed. */
function recordHeight(heights: Map<string | number, number>, target: Element): boolean {
  const { key } = (target as HTMLElement).dataset;
  if (key === undefined || !target.isConnected) return false;
  const height = (target as HTMLElement).offsetHeight;
  const rowKey = /^\d+$/.test(key) ? Number(key) : key;
  if (heights.get(rowKey) === height) return false;
  heights.set(rowKey, height);
  return true;
}
