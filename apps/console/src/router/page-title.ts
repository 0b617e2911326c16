import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the page that is shown calls itself, e.g. the name of a friend; empty while it does not say. */
export const pageTitle = signal('');

/** Names the window after what the page is about, while it is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      if (pageTitle.peek() === title) pageTitle.value = '';
    };
  }, [title]);
}
