import type { NameKind } from '../../names/name-kinds';

/**
 * What an argument or option names. Commands receive the object's id (a friend's nametag, a channel's name), and shell
 * completion offers the names of that kind.
 */
export interface NameRule {
  readonly kind: NameKind;
  /** If the value is omitted, the command uses the agent that the person last talked to, preferring active agents. */
  readonly defaultsToCurrent?: boolean;
}
