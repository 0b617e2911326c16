import { useEffect, useState } from 'preact/hooks';

/**
 * How many times the page was painted since the component came, up to `max`: each time it is drawn with one more part. What
 * comes with a later part does not delay the answer to a click.
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
