/** The focused element, and where to move the focus if the element is removed. */
interface Place {
  readonly element: Element;
  /** The element's card or row, and the neighbouring ones. */
  readonly items: readonly (Element | null)[];
  /** The element's part of the page: a section, or a list that removes rows when they scroll out of view. */
  readonly part: Element | null;
}

const focusable = 'button:not(:disabled), a[href], input, select, textarea';

/**
 * When the focused element is removed, moves the focus: into the same card or row if it is still there, otherwise into
 * a neighbouring one, otherwise to the heading of the section (in the list of messages, to the list itself) or, if that
 * part of the page was removed too, to the heading of the page. Without this, the Tab key would continue from the top
 * of the page. Returns a function that stops this.
 */
export function keepFocus(main: HTMLElement): () => void {
  let last: Place | undefined;
  const onFocus = ({ target }: Event): void => {
    if (target instanceof Element) last = placeOf(target);
  };
  const observer = new MutationObserver(() => {
    const isLost = document.activeElement === document.body || !document.activeElement;
    if (last && !last.element.isConnected && isLost) nextFocusOf(last, main)?.focus();
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

function nextFocusOf({ items, part }: Place, main: HTMLElement): HTMLElement | null {
  const nearest = items.find((item) => item?.isConnected && item.querySelector(focusable));
  if (nearest) return nearest.querySelector<HTMLElement>(focusable);
  if (!part?.isConnected) return main.querySelector<HTMLElement>('h1');
  return part.querySelector<HTMLElement>('section h2') ?? (part as HTMLElement);
}
