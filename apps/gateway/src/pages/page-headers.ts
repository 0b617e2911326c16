/** Allows nothing inline, nothing from other origins and no frames; scripts cannot insert markup. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The headers of every page, including the console's. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  // With `no-referrer`, browsers would send `Origin: null` with the pages' forms.
  'referrer-policy': 'same-origin',
} as const;
