const allowed = ['https:', 'http:', 'mailto:'] as const;

/**
 * The address of a link in a text that someone else wrote; undefined when it is not a whole address of an allowed kind.
 * Relative ones are not: they would look like links of the console itself.
 */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href, username, password } = new URL(text);
  const isAllowed = allowed.some((one) => one === protocol);
  // `https://bank.example@evil.example` reads like another site than it is.
  return isAllowed && username === '' && password === '' ? href : undefined;
}
