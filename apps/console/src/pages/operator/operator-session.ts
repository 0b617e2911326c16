import { connect, isDaycareError, type Daycare } from '@daycare/client/browser';
import { signal } from '@preact/signals';

/**
 * An operator's API client; undefined until a token is entered. The token is kept in this page only, because operator
 * rights must not be available to everything that has access to the browser session.
 */
export const operatorClient = signal<Daycare | undefined>(undefined);

/** Begins operator access with this token; throws if the token does not belong to an operator. */
export async function signInOperator(token: string): Promise<void> {
  const daycare = connect({ url: location.origin, token: token.trim() });
  await asOperator(() => daycare.rpc.identity.getServiceStatus({}));
  operatorClient.value = daycare;
}

export function signOutOperator(): void {
  operatorClient.value = undefined;
}

/** Makes a call with the operator's token. A refused token ends operator access, but not the person's session. */
export async function asOperator<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isDaycareError(error, 'UNAUTHENTICATED')) throw error;
    signOutOperator();
    throw new Error('This token is invalid or has expired. Enter another one.');
  }
}
