import { AppError } from '@daycare/api';
import { expectedUserHeader, headerOf, type GatewayRequest } from '../http/gateway-request';

/** The query parameter for links, images and forms, which cannot send the expected-user header. */
const expectedUserParameter = 'expected-user';

/** Returns the id of the user that a request expects to act as; empty when it names none. */
export function expectedUserOf(request: GatewayRequest): string {
  const { url = '' } = request;
  const sent = headerOf(request, expectedUserHeader);
  if (sent !== '' || !url.includes(`${expectedUserParameter}=`)) return sent;
  // The query is extracted by hand, because `new URL` would throw for a path that is not a valid URL.
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(expectedUserParameter) ?? '';
}

/**
 * Returns the error for a request from a page that was loaded for one user, when another user has since signed
 * in with the same browser. The page then reloads as the new user.
 */
export function anotherUserError(): AppError {
  const message = 'Another user has signed in with this browser; reload the page';
  return new AppError('UNAUTHENTICATED', message, { metadata: { session: 'another_user' } });
}

export function isAnotherUserError({ details }: AppError): boolean {
  return details.metadata?.['session'] === 'another_user';
}
