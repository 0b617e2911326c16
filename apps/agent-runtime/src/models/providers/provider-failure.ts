/** The facts about a failure that may be logged: no text from a person or a model, no key, no address. */
export interface ProviderFailure {
  /** The name of the thrown error, e.g. as set by the SDK; empty if it is not a single word. */
  readonly name: string;
  readonly status: number | undefined;
  /** The codes reported by the provider, most specific first, then the code of a network error, if there was one. */
  readonly kinds: readonly string[];
  /** How long the provider asks to wait before the next request; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;
  /** Whether the failure's text says that the request exceeds the model's window. */
  readonly saysTooLong: boolean;
  /** Identifies the call when the provider's support is contacted. */
  readonly requestId: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads properties instead of checking classes, because two versions of the SDK's errors may be loaded. */
export function readFailure(thrown: unknown, nowMs: number): ProviderFailure {
  const fields = fieldsOf(thrown);
  const headers = fieldsOf(fields['responseHeaders']);
  const reported = reportedError(fields);
  const status = isErrorEvent(fields)
    ? undefined
    : [fields['statusCode'], reported['code']].find(isStatus);
  const codes = [...reasonsIn(reported), reported['code'], reported['type'], reported['status']];
  const kinds = [...codes, networkCodeOf(fields)].map(toWord);
  return {
    name: toWord(fields['name']),
    status,
    kinds: kinds.filter((kind) => kind !== ''),
    saysTooLong: saysTooLong(reported['message']),
    retryAfterMs: readRetryAfter(headers, nowMs),
    requestId: toWord(headers['request-id'] ?? headers['x-request-id']),
  };
}

/**
 * Reports whether the failure is an error event at the start of a stream. The response had status 200, but the SDK
 * reports 500. The body of the event is the error itself, whereas the body of a failed request is an object
 * that contains the error.
 */
function isErrorEvent({ responseHeaders, responseBody }: Fields): boolean {
  const type = String(fieldsOf(responseHeaders)['content-type']);
  if (!type.startsWith('text/event-stream') || typeof responseBody !== 'string') return false;
  return !('error' in parseFields(responseBody));
}

// Phrases that say that a request was too long, because not all providers have a code for this.
const tooLong =
  /prompt is too long|input is too long|context (?:length|window|size)|maximum (?:context|prompt)|exceeds? the maximum number of tokens|too many (?:input )?tokens|reduce the length/i;
const maxMessageLength = 2_000;

function saysTooLong(message: unknown): boolean {
  return typeof message === 'string' && tooLong.test(message.slice(0, maxMessageLength));
}

/** The error that the provider reported, in the response body or in an error event of a stream. */
function reportedError(fields: Fields): Fields {
  const body = fields['responseBody'];
  if (typeof body !== 'string') return 'statusCode' in fields ? {} : fields;
  const parsed = parseFields(body);
  return 'error' in parsed ? fieldsOf(parsed['error']) : parsed;
}

/** Google names the exact reason among the details. */
function reasonsIn({ details }: Fields): unknown[] {
  return Array.isArray(details) ? details.slice(0, 10).map((each) => fieldsOf(each)['reason']) : [];
}

function networkCodeOf(fields: Fields): unknown {
  const cause = fieldsOf(fields['cause']);
  return cause['code'] ?? fieldsOf(cause['cause'])['code'];
}

function readRetryAfter(headers: Fields, nowMs: number): number | undefined {
  const exactMs = toNumber(headers['retry-after-ms']);
  const raw = headers['retry-after'];
  const seconds = toNumber(raw);
  const dateMs = typeof raw === 'string' ? Date.parse(raw) : NaN;
  const waitMs = exactMs ?? (seconds === undefined ? dateMs - nowMs : seconds * 1000);
  return Number.isFinite(waitMs) ? Math.max(0, Math.round(waitMs)) : undefined;
}

function toNumber(raw: unknown): number | undefined {
  return typeof raw === 'string' && /^\d{1,9}(\.\d+)?$/.test(raw) ? Number(raw) : undefined;
}

/** Accepts a single word; sentences may contain user text and must not be logged. */
function toWord(raw: unknown): string {
  return typeof raw === 'string' && /^[\w.-]{1,64}$/.test(raw) ? raw : '';
}

function isStatus(raw: unknown): raw is number {
  return typeof raw === 'number' && raw >= 100 && raw < 600;
}

function parseFields(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
