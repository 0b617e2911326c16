/** The fields of an error that a log line shows. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly labels?: readonly string[];
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const maxDepth = 4;
const maxErrors = 5;
const maxLength = 4_000;

/**
 * Picks the fields of an error that are logged. Everything else is left out, because drivers attach rejected documents
 * to their errors, and those documents contain people's messages.
 */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: truncate(String(error)) };
  const { name, message, stack, cause } = error;
  const { code, errorLabels: labels, errors } = error as ErrorWithFields;
  const isShown = (value: unknown): boolean => value !== undefined && depth < maxDepth;
  const inner = (value: unknown): LoggedError => serializeError(value, depth + 1);
  return {
    type: name,
    message: truncate(message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(Array.isArray(labels) && labels.length > 0 && { labels: labels.map(String) }),
    ...(stack !== undefined && { stack: truncate(stack) }),
    ...(isShown(cause) && { cause: inner(cause) }),
    ...(Array.isArray(errors) &&
      isShown(errors) && { errors: errors.slice(0, maxErrors).map(inner) }),
  };
}

interface ErrorWithFields {
  readonly code?: unknown;
  readonly errorLabels?: unknown;
  readonly errors?: unknown;
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
