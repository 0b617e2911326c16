/** Returns the fields of one pino line; undefined for anything that is not a JSON object. */
export function parseLogLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export interface ReadyLine {
  readonly grpc: string;
  readonly http: string;
}

/** Returns the addresses in the line that a service logs when it is ready; undefined for every other line. */
export function parseReadyLine(line: string): ReadyLine | undefined {
  if (!line.includes('"ready"')) return undefined;
  const fields = parseLogLine(line);
  if (fields?.['event'] !== 'ready') return undefined;
  return { grpc: String(fields['grpc']), http: String(fields['http']) };
}
