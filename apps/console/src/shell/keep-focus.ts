/** What has the focus, and where the keyboard goes on without it. */
interface Place {
  readonly element: Element;
  /** The card or row that it is in, and those beside it. */
  readonly items: readonly (Element | null)[];
  /** The part of the page that it is in: a section, or a list that takes what is scrolled away off the page. */
  readonly part: Element | null;
}

const focusable = 'button:not(:disabled), a[href], input, select, textarea';

/**
 * When what has the focus leaves the page, such as a card that was dealt with, the keyboard and screen readers go on with
 * the next one or the heading above it. Browsers would begin at the top of the page. Returns how to stop it.
 */
export function keepFocus(main: HTMLElement): () => void {
  let last: Place | undefined;
  const onFocus = ({ target }: Event): void => {
    if (target instanceof Element) last = placeOf(target);
  };
  const observer = new MutationObserver(() => {
    const isLost = document.activeElement === document.body || !document.activeElement;
    if (last && !last.element.isConnected && isLost) nextOf(last, main)?.focus();
  });
  main.addEventListener('focusin', onFocus);
  observer.observe(main, { childList: true, subtree: true });
  return () => {
    main.removeEventListener('focusin', onFocus);
    observer.disconnect();
  };
}

function placeOf(element: Element): Place {
  const item = element.closest('li, tr');
  const items = [item, item?.nextElementSibling ?? null, item?.previousElementSibling ?? null];
  return { element, items, part: element.closest('section, [role="log"]') };
}

function nextOf({ items, part }: Place, main: HTMLElement): HTMLElement | null {
  const beside = items.find((item) => item?.isConnected && item.querySelector(focusable));
  if (beside) return beside.querySelector<HTMLElement>(focusable);
  if (!part?.isConnected) return main.querySelector<HTMLElement>('h1');
  return part.querySelector<HTMLElement>('section h2') ?? (part as HTMLElement);
}
