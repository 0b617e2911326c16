import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../data/action';
import { Button, type ButtonProps } from './button';
import { Confirm } from './dialog';

/** A button that asks for confirmation before it runs its action. */
export function AskFirst({
  action,
  title,
  text,
  verb,
  kind = 'danger',
  children,
}: {
  readonly action: Action<[]>;
  /** The question, e.g. `Delete tea?`. */
  readonly title: string;
  /** The consequences of the action. */
  readonly text: string;
  readonly verb: string;
  readonly kind?: ButtonProps['kind'];
  /** The label of the button; `verb` by default. */
  readonly children?: ComponentChildren;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button kind={kind} busy={action.isBusy} onClick={() => setAsking(true)}>
        {children ?? verb}
      </Button>
      <Confirm
        {...{ title, text, verb }}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => void action.run()}
      />
    </>
  );
}
