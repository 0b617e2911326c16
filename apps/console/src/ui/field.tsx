import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface LabelProps {
  readonly label: string;
  /** Help text below the field. */
  readonly hint?: string;
  /** The problem with the value that was entered. */
  readonly problem?: string;
  readonly onValue?: (value: string) => void;
}

/** A single-line text field with its label. */
export function Field({
  label,
  hint,
  problem,
  onValue,
  ...rest
}: LabelProps & InputHTMLAttributes) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, problem }}>
      <input
        autocomplete="off"
        {...rest}
        {...describedBy(id, hint, problem)}
        id={id}
        onInput={(event) => onValue?.(event.currentTarget.value)}
      />
    </Frame>
  );
}

/** A multi-line text field with its label. */
export function TextArea({
  label,
  hint,
  problem,
  onValue,
  ...rest
}: LabelProps & TextareaHTMLAttributes) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, problem }}>
      <textarea
        rows={4}
        {...rest}
        {...describedBy(id, hint, problem)}
        id={id}
        onInput={(event) => onValue?.(event.currentTarget.value)}
      />
    </Frame>
  );
}

/** A choice from a list of options, with its label. */
export function Select<T extends string>({
  label,
  hint,
  value,
  options,
  onValue,
  onFocus,
}: Omit<LabelProps, 'onValue'> & {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
  readonly onFocus?: () => void;
}) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, problem: undefined }}>
      <select
        id={id}
        {...describedBy(id, hint, undefined)}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as T)}
        onFocus={onFocus}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

function describedBy(id: string, hint: string | undefined, problem: string | undefined) {
  const ids = [problem ? `${id}-problem` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ');
  return {
    ...(ids !== '' && { 'aria-describedby': ids }),
    ...(problem && { 'aria-invalid': true as const }),
  };
}

function Frame({
  id,
  label,
  hint,
  problem,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {problem && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
