import { useEffect, useState } from 'preact/hooks';

/** Returns the last text that stayed unchanged for `ms`, i.e. the text at the last pause in the person's typing. */
export function useDebounced(text: string, ms = 250): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
