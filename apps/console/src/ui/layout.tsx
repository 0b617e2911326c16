import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { usePageTitle } from '../router/page-title';

/** The heading of a page, with a description and the actions for the whole page. */
export function PageHead({
  title,
  about,
  actions,
}: {
  readonly title: ComponentChildren;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  usePageTitle(typeof title === 'string' ? title : '');
  return (
    <header class="page-head">
      <div>
        {/* Focused after navigation, so that screen readers start here. */}
        <h1 tabIndex={-1}>{title}</h1>
        {about && <p class="muted">{about}</p>}
      </div>
      {actions && <div class="page-actions">{actions}</div>}
    </header>
  );
}

/** A part of a page with its heading and, where it helps, a count. */
export function Section({
  title,
  count,
  actions,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <header class="section-head">
        {/* Receives the focus when the focused card is removed and the section has no other card. */}
        <h2 id={id} tabIndex={-1}>
          {title}
          {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** One item of a list, with its actions. */
export function Card({
  children,
  actions,
}: {
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="card">
      <div class="card-body">{children}</div>
      {actions && <div class="card-actions">{actions}</div>}
    </div>
  );
}

/** A short fact, e.g. a status. */
export function Badge({
  children,
  kind = 'plain',
}: {
  readonly children: ComponentChildren;
  readonly kind?: 'plain' | 'good' | 'warn' | 'bad';
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
