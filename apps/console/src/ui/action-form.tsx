import type { ComponentChildren } from 'preact';
import type { Action } from '../data/action';
import { Button } from './button';

export interface ActionFormProps {
  /** The action that runs when the form is submitted; the button shows its state. */
  readonly action: Pick<Action<never>, 'isBusy'>;
  readonly onSubmit: () => void;
  /** The label of the button, e.g. `Create`. */
  readonly verb: string;
  readonly kind?: 'primary' | 'danger';
  readonly disabled?: boolean;
  /** Adds a cancel button. */
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

/** The fields of a dialog, and the submit button below them. */
export function ActionForm(props: ActionFormProps) {
  const { action, onSubmit, verb, kind = 'primary', disabled, onCancel, children } = props;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <footer class="dialog-foot">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind={kind} type="submit" busy={action.isBusy} disabled={disabled}>
          {verb}
        </Button>
      </footer>
    </form>
  );
}
