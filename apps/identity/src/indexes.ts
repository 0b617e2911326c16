import { outboxIndexes } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import { connectorKeyIndexes } from './store/connector-key-store';
import { reservationIndexes } from './store/reservation-store';
import { revocationIndexes } from './store/revocation-store';
import { sessionIndexes } from './store/session-store';
import { personalTokenIndexes } from './store/sign-in/personal-token-store';
import { pendingSignInIndexes } from './store/sign-in/pending-sign-in-store';
import { signInCodeIndexes } from './store/sign-in/sign-in-code-store';
import { signingKeyIndexes } from './store/signing-key-store';
import { userIndexes } from './store/user-document';

/** Every collection of the service's database. */
export const indexes: readonly CollectionIndexes[] = [
  userIndexes,
  ...reservationIndexes,
  connectorKeyIndexes,
  signingKeyIndexes,
  sessionIndexes,
  ...revocationIndexes,
  personalTokenIndexes,
  signInCodeIndexes,
  pendingSignInIndexes,
  ...outboxIndexes,
];
