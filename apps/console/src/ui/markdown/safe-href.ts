const allowedSchemes = ['https:', 'http:', 'mailto:'] as const;

/**
 * Returns the URL of a link in someone else's text; undefined unless it is absolute, has an allowed scheme and contains
 * no user name or password. A relative URL would look like one of the console's own links.
 */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href, username, password } = new URL(text);
  const isAllowed = allowedSchemes.some((scheme) => scheme === protocol);
  // `https://bank.example@evil.example` looks like a link to bank.example.
  return isAllowed && username === '' && password === '' ? href : undefined;
}
