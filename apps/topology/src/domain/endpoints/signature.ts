/** The service whose signature scheme a webhook uses. */
const signatureStyles = ['github', 'stripe', 'slack'] as const;
export type SignatureStyle = (typeof signatureStyles)[number];

/** The signature claim of a post; valid if one of the MACs is the MAC of `prefix` followed by the body. */
export interface SignatureClaim {
  readonly prefix: string;
  /** In hexadecimal. */
  readonly macs: readonly string[];
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type ReadClaim = (headers: Headers, nowSeconds: number) => SignatureClaim | undefined;

/** How far the clock of a sender may be off, and therefore also how long a recorded post can be replayed. */
const toleranceSeconds = 5 * 60;
/** Stripe sends one MAC for each secret that is valid at the time. */
const maxMacs = 8;

export const secretRule = 'must be 16 to 256 visible ASCII characters';

export function isSecret(text: string): boolean {
  return /^[\x21-\x7e]{16,256}$/.test(text);
}

export function isSignatureStyle(auth: string): auth is SignatureStyle {
  return signatureStyles.some((style) => style === auth);
}

/**
 * The claim in a post's headers. Undefined unless there is exactly one, well-formed and recent. Repeated
 * headers arrive joined by a comma, which none of the forms allows.
 */
export function readSignature(
  style: SignatureStyle,
  headers: Headers,
  now: Date,
): SignatureClaim | undefined {
  return readers[style](headers, Math.floor(now.getTime() / 1000));
}

/** The challenge that Slack expects in return when a URL is registered; undefined for any other post. */
export function slackChallengeOf(text: string): string | undefined {
  const { type, challenge } = parseObject(text);
  const isChallenge = type === 'url_verification' && typeof challenge === 'string';
  return isChallenge && /^[\x21-\x7e]{1,500}$/.test(challenge) ? challenge : undefined;
}

const readers: Readonly<Record<SignatureStyle, ReadClaim>> = {
  github(headers) {
    const mac = macIn(headers['x-hub-signature-256'], 'sha256');
    return mac === undefined ? undefined : { prefix: '', macs: [mac] };
  },
  slack(headers, now) {
    const time = headers['x-slack-request-timestamp'];
    const mac = macIn(headers['x-slack-signature'], 'v0');
    if (mac === undefined || !isRecent(time, now)) return undefined;
    return { prefix: `v0:${time}:`, macs: [mac] };
  },
  stripe(headers, now) {
    const given = headers['stripe-signature'];
    if (typeof given !== 'string') return undefined;
    const parts = given.split(',').map((part) => part.trim());
    const [time, ...more] = parts.flatMap((part) => /^t=(.*)$/.exec(part)?.[1] ?? []);
    const macs = parts.flatMap((part) => macIn(part, 'v1') ?? []);
    const isOne = isRecent(time, now) && more.length === 0;
    if (!isOne || macs.length === 0 || macs.length > maxMacs) return undefined;
    return { prefix: `${time}.`, macs };
  },
};

function macIn(given: string | string[] | undefined, version: string): string | undefined {
  const [, name, mac] = /^([a-z0-9]+)=([0-9a-f]{64})$/i.exec(String(given)) ?? [];
  return name === version ? mac : undefined;
}

function isRecent(time: string | string[] | undefined, now: number): time is string {
  if (typeof time !== 'string' || !/^\d{1,12}$/.test(time)) return false;
  return Math.abs(now - Number(time)) <= toleranceSeconds;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
