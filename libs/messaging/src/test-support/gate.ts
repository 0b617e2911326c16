export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Creates a gate whose `opened` resolves once `open` is called. */
export function newGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
