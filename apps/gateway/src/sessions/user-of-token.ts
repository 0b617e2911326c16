/**
 * The id of the user for whom an access token was issued, by itself or in an `authorization`; empty if it
 * cannot be read. It is not verified here but by the services, so rely on it only for tokens from a sealed
 * cookie.
 */
export function userOfToken(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown };
    return typeof sub === 'string' ? sub : '';
  } catch {
    return '';
  }
}
