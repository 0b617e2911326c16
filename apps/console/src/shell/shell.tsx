import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isInterrupted } from '../data/live';
import { waitingCount } from '../data/waiting';
import { pageTitle } from '../router/page-title';
import { path } from '../router/router';
import { Toasts } from '../ui/toast';
import { keepFocus } from './keep-focus';
import { Navigation } from './navigation';

/** The frame of every page: skip link, navigation, the page itself, and what is said about the connection. */
export function Shell({
  title,
  fillsWindow,
  children,
}: {
  readonly title: string;
  readonly fillsWindow: boolean;
  readonly children: ComponentChildren;
}) {
  const main = useRef<HTMLElement>(null);
  useTitle(pageTitle.value || title);
  useFocusAfterNavigation(main);
  useEffect(() => (main.current ? keepFocus(main.current) : undefined), []);
  return (
    <>
      <a class="skip" href="#main" onClick={() => main.current?.focus()}>
        Skip to main content
      </a>
      <Navigation />
      <main id="main" ref={main} tabIndex={-1} class={fillsWindow ? 'filled' : undefined}>
        <ConnectionNotice />
        {children}
      </main>
      <Toasts />
    </>
  );
}

/** The number of things that wait is in front, where tabs show it. */
function useTitle(title: string): void {
  const count = waitingCount.value;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} – Daycare`;
  }, [title, count]);
}

/** After a link was followed, the keyboard and screen readers continue at the heading of the new page. */
function useFocusAfterNavigation(main: { readonly current: HTMLElement | null }): void {
  const isFirst = useRef(true);
  const current = path.value;
  // With the page itself: a moment later, the person may be typing already.
  useLayoutEffect(() => {
    if (!isFirst.current) (main.current?.querySelector('h1') ?? main.current)?.focus();
    isFirst.current = false;
  }, [current]);
}

function ConnectionNotice() {
  return (
    <div role="status">
      {isInterrupted.value && (
        <p class="notice connection">
          Connection lost; reconnecting. Nothing is lost: updates will appear when it is back.
        </p>
      )}
    </div>
  );
}
