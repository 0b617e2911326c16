const allowedSchemes = ['https:', 'http:', 'mailto:'] as const;

/**
 * The address of a link in a text by someone else; undefined unless it is an absolute address with an allowed scheme. A
 * relative address would look like a link of the console itself.
 */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href, username, password } = new URL(text);
  const isAllowed = allowedSchemes.some((scheme) => scheme === protocol);
  // `https://bank.example@evil.example` looks like an address of another site.
  return isAllowed && username === '' && password === '' ? href : undefined;
}
