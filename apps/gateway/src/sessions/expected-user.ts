import { AppError } from '@daycare/api';
import { expectedUserHeader, headerOf, type GatewayRequest } from '../http/gateway-request';

/** Takes the place of the expected-user header in links, images and forms, which cannot send headers. */
const expectedUserParameter = 'expected-user';

/** The id of the user that a request expects to act as; empty when the client names none. */
export function expectedUserOf(request: GatewayRequest): string {
  const { url = '' } = request;
  const sent = headerOf(request, expectedUserHeader);
  if (sent !== '' || !url.includes(`${expectedUserParameter}=`)) return sent;
  // Parsed by hand, because a client may send a path that is not a valid URL.
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(expectedUserParameter) ?? '';
}

/**
 * The refusal of a request from a page whose user's session has been replaced by that of another user. The page then
 * reloads as the new user.
 */
export function anotherUser(): AppError {
  const message = 'Another user has signed in with this browser; reload the page';
  return new AppError('UNAUTHENTICATED', message, { metadata: { session: 'another_user' } });
}

export function isAnotherUser({ details }: AppError): boolean {
  return details.metadata?.['session'] === 'another_user';
}
