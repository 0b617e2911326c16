import type { ComponentChildren } from 'preact';
import { describeError } from '../data/client';
import type { Collected } from '../data/paging/pages';
import type { Resource } from '../data/resource';
import { Button } from './button';
import { formatCount } from './format-count';

/** Shown in place of an empty list: what belongs here, and how it gets here. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A notice below a list that was not read to its end because it has more items than the limit. */
export function TruncatedNotice({ items, hasMore }: Collected<unknown>) {
  if (!hasMore) return null;
  return <p class="muted small">Only the first {formatCount(items.length)} are shown.</p>;
}

/** A placeholder for data that is being loaded. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Shows a resource: a placeholder while it is loading, then its value, or the error with a button to retry. */
export function Loaded<T>({
  resource,
  lines = 3,
  children,
}: {
  readonly resource: Resource<T>;
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}) {
  const state = resource.state.value;
  if (state.status === 'loading') return <Skeleton lines={lines} />;
  const retry = <Button onClick={() => void resource.reload()}>Try again</Button>;
  if (state.status === 'failed')
    return <EmptyState title={describeError(state.error)}>{retry}</EmptyState>;
  return (
    <>
      {state.error !== undefined && (
        <p class="notice" role="status">
          This may be out of date: {describeError(state.error)} {retry}
        </p>
      )}
      {children(state.value)}
    </>
  );
}
