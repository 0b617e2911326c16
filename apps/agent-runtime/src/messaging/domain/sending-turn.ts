import type { Trust } from '@daycare/api';

/** What messages and resets store about the turn that sent them; empty when no turn did. */
export interface TurnLabels {
  /** The turn's trust. */
  readonly trust?: Trust | undefined;
  /** Whether the turn had read something private. */
  readonly carriesPrivate?: boolean | undefined;
  /** The guest or outsider whose words were in the turn's context; lost when another service forwards the message. */
  readonly foreignWriter?: string | undefined;
}

/** The turn that sent a message. */
export interface SendingTurn extends TurnLabels {
  /** The number of agents in the chain that led to the message. */
  readonly hops: number;
}

/** Returns the labels that are set, as items store them. */
export function labelsOf({ trust, carriesPrivate, foreignWriter }: TurnLabels): TurnLabels {
  return {
    ...(trust ? { trust } : {}),
    ...(carriesPrivate ? { carriesPrivate } : {}),
    ...(foreignWriter ? { foreignWriter } : {}),
  };
}
