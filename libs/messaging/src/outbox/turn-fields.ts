import { Trust, type SystemMessage } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import type { Trust as TrustLevel } from '@daycare/api';

/** What is known about the turn in which a message is sent; empty when a person sends it. */
export interface SendingTurn {
  readonly hops?: number | undefined;
  readonly trust?: TrustLevel | undefined;
  readonly carriesPrivate?: boolean | undefined;
}

/** Returns the message fields that say what is known about the sending turn. */
export function turnFields({
  hops = 0,
  trust,
  carriesPrivate = false,
}: SendingTurn): Pick<SystemMessage, 'hops' | 'trust' | 'carriesPrivate'> {
  return { hops, trust: trust ? enumOf(Trust, trust) : Trust.UNSPECIFIED, carriesPrivate };
}
