import { useAction } from '../data/action';
import { Button } from './button';

/** A secret that is shown only once. */
export function Secret({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(value);
    return 'Copied.';
  });
  return (
    <>
      <p>Copy it now: it cannot be shown again.</p>
      <pre class="code-block secret" tabIndex={0} aria-label="The secret">
        {value}
      </pre>
      <footer class="dialog-foot">
        <Button busy={copy.isBusy} onClick={() => void copy.run()}>
          Copy
        </Button>
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </footer>
    </>
  );
}
