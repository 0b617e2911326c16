import { AppError } from '@daycare/api';
import { expectedUserHeader, headerOf, type GatewayRequest } from '../http/gateway-request';

/** The same as the header for links, pictures and forms, which send no headers of their own. */
const expectedUserParameter = 'expected-user';

/** The id of the user as whom a request must be made; empty for clients that do not say. */
export function expectedUserOf(request: GatewayRequest): string {
  const { url = '' } = request;
  const sent = headerOf(request, expectedUserHeader);
  if (sent !== '' || !url.includes(`${expectedUserParameter}=`)) return sent;
  // Not as a URL: a client may send a path that is none.
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(expectedUserParameter) ?? '';
}

/** Refuses a page of someone whose session has been replaced by another person's. The page begins again as that person. */
export function anotherUser(): AppError {
  const message = 'Someone else is signed in in this browser now; reload the page';
  return new AppError('UNAUTHENTICATED', message, { metadata: { session: 'another_user' } });
}

export function isAnotherUser({ details }: AppError): boolean {
  return details.metadata?.['session'] === 'another_user';
}
