import type { ComponentChildren } from 'preact';
import type { Action } from '../data/action';
import { Button } from './button';

export interface ActionFormProps {
  /** What sending the form does: its state is shown by the button. */
  readonly action: Pick<Action<never>, 'isBusy'>;
  readonly onSubmit: () => void;
  /** What the button says, e.g. `Create`. */
  readonly verb: string;
  readonly kind?: 'primary' | 'danger';
  readonly disabled?: boolean;
  /** With a button that leaves everything as it is. */
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

/** The fields of a dialog, and the button below them that acts. */
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
