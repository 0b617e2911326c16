import { signal } from '@preact/signals';

/** The path of the current page. */
export const path = signal(location.pathname);

/** Opens a page of the console without a page load. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  readLocation();
  scrollTo(0, 0);
}

/** Follows the browser's history, and opens links to console pages in the same window without a page load. */
export function followHistory(): void {
  addEventListener('popstate', readLocation);
  document.addEventListener('click', (event) => {
    const to = pageOf(event);
    if (to === undefined) return;
    event.preventDefault();
    navigate(to);
  });
}

function readLocation(): void {
  path.value = location.pathname;
}

/** Returns the console page that a click opens; undefined for clicks that the browser handles itself. */
function pageOf(event: MouseEvent): string | undefined {
  const isPlain =
    event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || event.defaultPrevented || !link) return undefined;
  if (link.target !== '' || link.hasAttribute('download')) return undefined;
  const url = new URL(link.href, location.href);
  const isAnchor = url.pathname === location.pathname && url.hash !== '';
  const isOurs = url.origin === location.origin && !link.hasAttribute('data-outside');
  return isOurs && !isAnchor ? `${url.pathname}${url.search}` : undefined;
}
