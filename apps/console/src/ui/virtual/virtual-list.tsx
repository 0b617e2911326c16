import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLeaving, useMeasure, useStayAtEnd, type Heights } from './list-hooks';
import { offsetsOf, rowAt, windowOf, type Window } from './window-of';

export interface VirtualListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string | number;
  /** The approximate height of an item in pixels, used until the item has been drawn and measured. */
  readonly estimate: (item: T) => number;
  readonly render: (item: T) => ComponentChildren;
  /** Called when the person scrolls close to the beginning, and when the rows do not fill the pane. */
  readonly onNearStart: () => void;
  /** Called when the person scrolls to the end or away from it. */
  readonly onFollow: (isFollowing: boolean) => void;
  /** Shown below the last item; scrolls with the list. */
  readonly footer?: ComponentChildren;
  readonly header?: ComponentChildren;
  readonly list: RefObject<VirtualListHandle | null>;
}

export interface VirtualListHandle {
  scrollToEnd(): void;
  scrollToStart(): void;
}

const margin = 600;
const nearEndPx = 60;
const nearStartPx = 900;

/** The row that keeps its position when other rows change. */
interface Anchor {
  readonly key: string | number;
  /** How far the top of the row is above the top of the pane. */
  readonly distance: number;
  /** The scroll position of the pane when the anchor was set. */
  readonly scrollTop: number;
}

/**
 * A long list of rows of any height, of which only the visible ones and some around them are on the page. It starts at
 * its end and stays there while rows are added, until the person scrolls away. From then on the visible rows do not
 * move, until the person scrolls back to the end.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, estimate, render, onNearStart, onFollow, label, header, footer, list } =
    props;
  const pane = useRef<HTMLDivElement>(null);
  const headerBox = useRef<HTMLDivElement>(null);
  const heights = useRef<Heights>({ byKey: new Map(), version: 0 });
  const anchor = useRef<Anchor | undefined>(undefined);
  const isFollowing = useRef(true);
  const [tick, setTick] = useState(0);
  const redraw = (): void => setTick((count) => count + 1);

  const offsets = useMemo(() => {
    dropRemovedHeights(heights.current.byKey, items, keyOf);
    const { byKey } = heights.current;
    return offsetsOf(items.map((item) => byKey.get(keyOf(item)) ?? estimate(item)));
  }, [items, heights.current.version]);
  const headerHeight = (): number => headerBox.current?.offsetHeight ?? 0;
  const view = pane.current;
  const total = offsets.at(-1) ?? 0;
  const height = view?.clientHeight ?? 800;
  const position = isFollowing.current || !view ? total - height : view.scrollTop - headerHeight();
  const shown = windowOf(offsets, position, position + height, margin);
  const drawn = useRef(shown);
  drawn.current = shown;

  useLayoutEffect(() => {
    if (!view) redraw();
    if (!view) return;
    if (isFollowing.current) view.scrollTop = view.scrollHeight;
    // If the positions differ, the person has scrolled since, and the scroll event has not arrived yet.
    else if (anchor.current?.scrollTop === view.scrollTop) {
      const { key, distance } = anchor.current;
      const index = items.findIndex((item) => keyOf(item) === key);
      const targetTop = (offsets[index] ?? 0) + headerHeight() + distance;
      if (index !== -1 && Math.abs(view.scrollTop - targetTop) > 1) view.scrollTop = targetTop;
      anchor.current = { key, distance, scrollTop: view.scrollTop };
    }
  });

  // Rows that do not fill the pane cannot be scrolled, so no scroll event would request more.
  useEffect(() => {
    const { scrollHeight, clientHeight } = pane.current ?? emptyPane;
    if (clientHeight > 0 && scrollHeight <= clientHeight) onNearStart();
  }, [items, tick]);

  const content = useRef<HTMLDivElement>(null);
  // While the end is followed, the drawn rows stay correct for any heights, as long as they fill the pane.
  const measure = useMeasure(heights, () => {
    if (!isFollowing.current || !fillsPane(pane.current, drawn.current)) redraw();
  });
  useStayAtEnd(pane, content, isFollowing);
  const follow = (shouldFollow: boolean): void => {
    if (shouldFollow !== isFollowing.current) onFollow(shouldFollow);
    isFollowing.current = shouldFollow;
  };
  /** Makes the row at the top of the pane keep its position from now on. */
  const keepPlace = (): void => {
    const { scrollTop } = pane.current ?? emptyPane;
    const inside = scrollTop - headerHeight();
    const index = rowAt(offsets, inside);
    const item = items[index];
    if (item !== undefined)
      anchor.current = { key: keyOf(item), distance: inside - (offsets[index] ?? 0), scrollTop };
  };
  const leaving = useLeaving(pane, () => {
    // The anchor is outdated while the end is followed.
    if (isFollowing.current) keepPlace();
    follow(false);
  });
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = pane.current ?? emptyPane;
    const wasFollowing = isFollowing.current;
    follow(scrollHeight - scrollTop - clientHeight < nearEndPx && !leaving.current);
    if (scrollTop < nearStartPx) onNearStart();
    // The list itself has scrolled to its end; the person has not scrolled.
    if (wasFollowing && isFollowing.current) return;
    keepPlace();
    redraw();
  };
  useEffect(() => {
    list.current = {
      scrollToEnd() {
        follow(true);
        redraw();
      },
      scrollToStart() {
        follow(false);
        anchor.current = undefined;
        if (pane.current) pane.current.scrollTop = 0;
      },
    };
  }, []);

  return (
    // `aria-live` is off, because the page announces new rows itself.
    <div
      ref={pane}
      class="virtual"
      role="log"
      aria-live="off"
      aria-label={label}
      tabIndex={0}
      onScroll={onScroll}
    >
      <div ref={content}>
        <div ref={headerBox}>{header}</div>
        <div style={{ height: `${shown.heightBefore}px` }} />
        {items.slice(shown.first, shown.end).map((item) => (
          <div key={keyOf(item)} data-key={keyOf(item)} ref={measure} class="virtual-row">
            {render(item)}
          </div>
        ))}
        <div style={{ height: `${shown.heightAfter}px` }} />
        {footer}
      </div>
    </div>
  );
}

/**
 * Reports whether the drawn rows fill the pane. Rows that are shorter than estimated may leave a part of it empty.
 */
function fillsPane(
  pane: HTMLDivElement | null,
  { first, heightBefore, heightAfter }: Window,
): boolean {
  const { scrollHeight, clientHeight } = pane ?? emptyPane;
  return first === 0 || scrollHeight - heightBefore - heightAfter >= clientHeight + margin / 2;
}

/** Drops the heights of removed rows, because a list may be followed for hours. */
function dropRemovedHeights<T>(
  heights: Map<string | number, number>,
  items: readonly T[],
  keyOf: (item: T) => string | number,
): void {
  if (heights.size <= 2 * items.length + 1_000) return;
  const kept = new Set(items.map(keyOf));
  for (const key of heights.keys()) if (!kept.has(key)) heights.delete(key);
}

const emptyPane = { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };
