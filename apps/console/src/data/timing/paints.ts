import { useEffect, useState } from 'preact/hooks';

/**
 * The number of times the page has been painted since the component was added, up to `max`. A page draws one more part
 * after each paint, so that its later parts do not delay the response to a click.
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
