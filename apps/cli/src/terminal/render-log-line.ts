import { parseLogLine } from '@daycare/local-stack';

type Fields = Readonly<Record<string, unknown>>;

const pinoLevels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const mongoLevels: Readonly<Record<string, string>> = {
  I: 'INFO',
  W: 'WARN',
  E: 'ERROR',
  F: 'FATAL',
};
/** Fields that are not shown as `key=value`, because they are shown in another way or do not help a person. */
const hiddenFields = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'service', 'err', 'v']);

/**
 * Makes a log line readable: JSON from the services and from mongod becomes
 * `12:03:04.123 INFO  message key=value`, with the stack trace of an error below it; anything else stays unchanged.
 */
export function renderLogLine(line: string): string {
  const fields = parseLogLine(line);
  if (!fields) return line;
  if (fields['level'] !== undefined && fields['msg'] !== undefined) return renderPino(fields);
  if (typeof fields['s'] === 'string' && typeof fields['c'] === 'string')
    return renderMongo(fields);
  return line;
}

function renderPino(fields: Fields): string {
  const level = pinoLevels[Number(fields['level'])] ?? toText(fields['level']).toUpperCase();
  const rest = Object.entries(fields).filter(([key]) => !hiddenFields.has(key));
  const head = [renderTime(fields['time']), level.padEnd(5), toText(fields['msg'] ?? '')];
  return [...head, ...renderPairs(rest)].filter(Boolean).join(' ') + renderError(fields['err']);
}

function renderMongo(fields: Fields): string {
  const { $date } = (fields['t'] ?? {}) as { $date?: unknown };
  const level = mongoLevels[String(fields['s'])] ?? 'DEBUG';
  const attributes = Object.entries((fields['attr'] ?? {}) as Fields);
  const head = [renderTime($date), level.padEnd(5), toText(fields['msg'] ?? '')];
  return [...head, ...renderPairs(attributes)].filter(Boolean).join(' ');
}

function renderTime(time: unknown): string {
  if (typeof time !== 'number' && typeof time !== 'string') return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(11, 23);
}

function renderPairs(entries: readonly (readonly [string, unknown])[]): string[] {
  return entries.map(([key, value]) => `${key}=${toText(value)}`);
}

function renderError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const text = stack ?? message;
  return typeof text === 'string' ? `\n${text.replaceAll(/^/gm, '  ')}` : '';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
