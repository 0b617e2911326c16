import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The title that the current page has set, e.g. the name of a friend; empty if it has set none. */
export const pageTitle = signal('');

/** Sets the title of the window while the page is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      if (pageTitle.peek() === title) pageTitle.value = '';
    };
  }, [title]);
}
