import type { ReadonlySignal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

export interface ButtonProps extends ButtonHTMLAttributes {
  readonly children: ComponentChildren;
  /** `primary` for the main action of a page, `danger` for actions that end, refuse or delete something. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /**
   * While true, the button looks disabled and is marked as busy. It can still be pressed, but a running action does not
   * start again.
   */
  readonly busy?: ReadonlySignal<boolean>;
}

export function Button({ kind = 'plain', busy, children, disabled, ...rest }: ButtonProps) {
  const isBusy = busy?.value ?? false;
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}`}
      disabled={disabled}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  href,
  kind = 'plain',
  children,
}: {
  readonly href: string;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly children: ComponentChildren;
}) {
  return (
    <a href={href} class={`button button-${kind}`}>
      {children}
    </a>
  );
}
