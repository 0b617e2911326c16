/** The services whose signature schemes a webhook can use. */
const signatureStyles = ['github', 'stripe', 'slack'] as const;
export type SignatureStyle = (typeof signatureStyles)[number];

/** The signature that a post claims to have; valid if one of `macs` is the HMAC of `prefix` followed by the body. */
export interface SignatureClaim {
  readonly prefix: string;
  /** In hexadecimal. */
  readonly macs: readonly string[];
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type ReadClaim = (headers: Headers, nowSeconds: number) => SignatureClaim | undefined;

/**
 * How far a sender's clock may be off, and therefore also how old a replayed post may be. GitHub's posts state no time,
 * so this does not limit them.
 */
const toleranceSeconds = 5 * 60;
/** Stripe sends one MAC for each currently valid secret. */
const maxMacs = 8;

export const secretRule = 'must be 16 to 256 visible ASCII characters';

export function isSecret(text: string): boolean {
  return /^[\x21-\x7e]{16,256}$/.test(text);
}

export function isSignatureStyle(auth: string): auth is SignatureStyle {
  return signatureStyles.some((style) => style === auth);
}

/**
 * Returns the claim in a post's headers; undefined unless there is exactly one and it is well-formed and, if it
 * states a time, recent. Node joins repeated headers with commas, and two complete claims do not parse as one.
 */
export function readSignature(
  style: SignatureStyle,
  headers: Headers,
  now: Date,
): SignatureClaim | undefined {
  return readers[style](headers, Math.floor(now.getTime() / 1000));
}

/** Returns the challenge that Slack expects back when a URL is registered; undefined for any other post. */
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
    const header = headers['stripe-signature'];
    if (typeof header !== 'string') return undefined;
    const parts = header.split(',').map((part) => part.trim());
    const [time, ...otherTimes] = parts.flatMap((part) => /^t=(.*)$/.exec(part)?.[1] ?? []);
    const macs = parts.flatMap((part) => macIn(part, 'v1') ?? []);
    const hasOneRecentTime = isRecent(time, now) && otherTimes.length === 0;
    if (!hasOneRecentTime || macs.length === 0 || macs.length > maxMacs) return undefined;
    return { prefix: `${time}.`, macs };
  },
};

function macIn(text: string | string[] | undefined, version: string): string | undefined {
  const [, name, mac] = /^([a-z0-9]+)=([0-9a-f]{64})$/i.exec(String(text)) ?? [];
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
