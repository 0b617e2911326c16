import { useEffect, useState } from 'preact/hooks';

/**
 * Counts how often the page has been painted since the component was added, up to `max`. A page that draws one more
 * part after each paint responds to the click that opened it without waiting for its later parts.
 */
export function usePaints(max: number): number {
  const [paints, setPaints] = useState(0);
  useEffect(() => {
    if (paints >= max) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setPaints(paints + 1))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [paints, max]);
  return paints;
}
