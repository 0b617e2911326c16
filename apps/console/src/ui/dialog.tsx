import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called when the dialog has closed, e.g. after Escape or the close button. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside it and restores the focus afterwards. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      {isOpen && (
        <>
          <header class="dialog-head">
            <h2 id={id}>{title}</h2>
            <Button kind="quiet" onClick={() => dialog.current?.close()} aria-label="Close">
              ✕
            </Button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}

/** Asks for confirmation of an action. */
export function Confirm({
  title,
  text,
  verb,
  isOpen,
  onClose,
  onConfirm,
}: Omit<DialogProps, 'children'> & {
  readonly text: string;
  /** The label of the button, e.g. `Delete`. */
  readonly verb: string;
  readonly onConfirm: () => unknown;
}) {
  const confirm = (): void => {
    onConfirm();
    onClose();
  };
  return (
    <Dialog {...{ title, isOpen, onClose }}>
      <p>{text}</p>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" onClick={confirm}>
          {verb}
        </Button>
      </footer>
    </Dialog>
  );
}
