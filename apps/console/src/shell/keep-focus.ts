/** The focused element, and where the focus goes if the element is removed. */
interface Place {
  readonly element: Element;
  /** Its card or row, and the neighbouring ones. */
  readonly items: readonly (Element | null)[];
  /** Its part of the page: a section, or a list that removes rows that are scrolled out of view. */
  readonly part: Element | null;
}

const focusable = 'button:not(:disabled), a[href], input, select, textarea';

/**
 * When the focused element is removed, e.g. with a card that is done, moves the focus to the next card or the
 * heading above it. Browsers would start again at the top of the page. Returns a function that stops this.
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
