import type { ReadonlySignal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

export interface ButtonProps extends ButtonHTMLAttributes {
  readonly children: ComponentChildren;
  /** `primary` for the one thing that a page is about, `danger` for what cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** While it is true, the button cannot be pressed, and says so. */
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

/** A link that has the weight of a button. */
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
