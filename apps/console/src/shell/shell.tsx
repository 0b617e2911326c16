import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isInterrupted } from '../data/live';
import { waitingCount } from '../data/waiting';
import { pageTitle } from '../router/page-title';
import { path } from '../router/router';
import { Toasts } from '../ui/toast';
import { keepFocus } from './keep-focus';
import { Navigation } from './navigation';

/** The frame of every page: skip link, navigation, the page itself, and the connection notice. */
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

/** Sets the window's title. The number of waiting items comes first, so that it is visible even in a narrow tab. */
function useTitle(title: string): void {
  const count = waitingCount.value;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} – Daycare`;
  }, [title, count]);
}

/** After navigation, moves the focus to the heading of the new page for keyboard and screen reader users. */
function useFocusAfterNavigation(main: { readonly current: HTMLElement | null }): void {
  const isFirst = useRef(true);
  const current = path.value;
  // The focus moves before the new page is painted, because a moment later the person may already be typing.
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
          Connection lost; reconnecting. All updates will appear once the connection is back.
        </p>
      )}
    </div>
  );
}
