import type { NameKind } from '../../names/name-kinds';

/**
 * What an argument or option names. Commands receive the id of the named object, and shell completion offers
 * the names of that kind.
 */
export interface NameRule {
  readonly kind: NameKind;
  /** If the value is omitted, the agent that the person last talked to is used. */
  readonly defaultsToCurrent?: boolean;
}
