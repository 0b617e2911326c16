import { readFileSync } from 'node:fs';

/** An invalid configuration. Its message is for the person who wrote it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks environment variables. Collects all problems, so that one start shows them all; call
 * `done` last. Each problem names the variable, its value and what it takes.
 */
export class EnvReader {
  readonly #problems: string[] = [];

  constructor(private readonly env: Env) {}

  /** Any text; required unless it has a default. */
  text(name: string, fallback?: string): string {
    return this.#read(name, fallback, 'a text', (raw) => raw);
  }

  /** A secret, which may also be given as `<name>_FILE`, the path of a file. */
  secret(name: string, fallback?: string, takes = 'a text'): string {
    const path = this.env[`${name}_FILE`];
    if (path === undefined || path === '') return this.#read(name, fallback, takes, (raw) => raw);
    try {
      const value = readFileSync(path, 'utf8').trim();
      if (value === '') this.#problems.push(`${name}_FILE is "${path}", which is empty`);
      return value;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      this.#problems.push(`${name}_FILE is "${path}", which cannot be read: ${reason}`);
      return '';
    }
  }

  /** A structured secret; `parse` returns the value, or a text that says what is wrong. */
  parsedSecret<T extends object>(
    name: string,
    parse: (raw: string) => T | string,
    fallback?: string,
  ): T {
    const raw = this.secret(name, fallback);
    const parsed = raw ? parse(raw) : '';
    // The value is not shown, because it is a secret.
    if (raw && typeof parsed === 'string') this.#problems.push(`${name} ${parsed}`);
    return parsed as T;
  }

  /** `host:port`. */
  address(name: string, fallback?: string): string {
    return this.#read(name, fallback, 'host:port, e.g. 0.0.0.0:50051', (raw) =>
      isAddress(raw) ? raw : undefined,
    );
  }

  /** The address of a peer: `host:port`, or a gRPC target such as `dns:///identity:50051`. */
  target(name: string, fallback?: string): string {
    const takes =
      'host:port or a gRPC target such as dns:///identity:50051 or ipv4:10.0.0.1:50051,10.0.0.2:50051';
    return this.#read(name, fallback, takes, (raw) => (isTarget(raw) ? raw : undefined));
  }

  /** A URL of one of the given schemes; it may contain a password, so it is read like a secret. */
  url(name: string, schemes: readonly string[], fallback?: string): string {
    const takes = `a URL starting with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
    const raw = this.secret(name, fallback, takes);
    if (raw && !schemes.some((scheme) => raw.startsWith(`${scheme}://`))) {
      this.#problems.push(`${name} is "${withoutPassword(raw)}", but must be ${takes}`);
    }
    return raw;
  }

  /** A whole number within limits. */
  integer(name: string, fallback: number, limits: { min: number; max: number }): number {
    const takes = `a whole number from ${limits.min} to ${limits.max}`;
    return this.#read(name, fallback, takes, (raw) => {
      const value = Number(raw);
      const fits = Number.isInteger(value) && value >= limits.min && value <= limits.max;
      return fits ? value : undefined;
    });
  }

  /** One of the given words. */
  oneOf<T extends string>(name: string, choices: readonly T[], fallback?: T): T {
    const takes = `one of ${choices.join(', ')}`;
    return this.#read(name, fallback, takes, (raw) => choices.find((choice) => choice === raw));
  }

  /** `on` or `off`. */
  flag(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
  }

  /** Adds a problem that the caller found in values that depend on each other or on files. */
  problem(text: string): void {
    this.#problems.push(text);
  }

  /** Throws a ConfigError if there were problems; otherwise returns the frozen configuration. */
  done<T extends object>(config: T): Readonly<T> {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems.join('\n'));
    return Object.freeze(config);
  }

  #read<T>(
    name: string,
    fallback: T | undefined,
    takes: string,
    parse: (raw: string) => T | undefined,
  ): T {
    const raw = this.env[name];
    if (raw === undefined || raw === '') {
      if (fallback === undefined) this.#problems.push(`${name} is not set; it must be ${takes}`);
      return fallback as T;
    }
    const value = parse(raw.trim());
    if (value === undefined) this.#problems.push(`${name} is "${raw}", but must be ${takes}`);
    return value as T;
  }
}

function isTarget(raw: string): boolean {
  const several = /^ipv4:(.*)/.exec(raw)?.[1]?.split(',');
  return several ? several.every(isAddress) : isAddress(raw.replace(/^dns:\/\/\//, ''));
}

function isAddress(raw: string): boolean {
  const [, port] = /^[^\s:]+:(\d{1,5})$/.exec(raw) ?? /^\[[0-9a-f:]+\]:(\d{1,5})$/i.exec(raw) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

/** The connection string with its password masked. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:…@');
}
