/** An environment variable, as the configuration reference (docs/configuration.md) shows it. */
export interface VariableDescription {
  readonly name: string;
  /** What the variable sets, in words for an operator. */
  readonly about: string;
  /** Which values it accepts. */
  readonly takes: string;
  /** Absent if it is required. */
  readonly default?: string;
  /** Whether it may also be given as `<name>_FILE`. */
  readonly isSecret: boolean;
  /** The bounds of a whole number. */
  readonly min?: number;
  readonly max?: number;
  /** The words that it accepts. */
  readonly choices?: readonly string[];
}

/** What programs can check about a value. */
export type VariableLimits = Pick<VariableDescription, 'min' | 'max' | 'choices'>;

/** What every variable declares: what it sets, and its default. */
export interface VariableSpec<T> {
  readonly about: string;
  readonly default?: T;
  /** Which values it accepts, where the type does not say so. */
  readonly takes?: string;
}

/** For files and other variables that are optional and have no default. */
export type OptionalSpec = Omit<VariableSpec<string>, 'default'>;

export interface IntegerSpec extends VariableSpec<number> {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface UrlSpec extends VariableSpec<string> {
  readonly schemes: readonly string[];
}

export interface ParsedSpec<T> extends VariableSpec<string> {
  /** Returns the value, or a message that says what is wrong. */
  readonly parse: (raw: string) => T | string;
}

export interface FlagSpec extends OptionalSpec {
  readonly default: boolean;
}
