import { readFileSync } from 'node:fs';
import type {
  FlagSpec,
  IntegerSpec,
  OptionalSpec,
  ParsedSpec,
  UrlSpec,
  VariableDescription,
  VariableLimits,
  VariableSpec,
} from './variable-spec';

/** An invalid configuration. The message is for the person who wrote the configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads, checks and describes environment variables: each is declared once, where it is read. Collects all problems, so
 * that one start shows them all; call `done` last. Each problem names the variable and the values that it accepts, and
 * quotes its value unless the value is secret.
 */
export class EnvReader {
  readonly #problems: string[] = [];
  readonly #variables = new Map<string, VariableDescription>();

  constructor(private readonly env: Env) {}

  /**
   * Returns a reader of the same variables without the problems found so far, to reread files that may have changed.
   */
  restart(): EnvReader {
    return new EnvReader(this.env);
  }

  /** All variables that were read, in the order in which they were read. */
  get variables(): readonly VariableDescription[] {
    return [...this.#variables.values()];
  }

  /** Any text; required unless it has a default. */
  text(name: string, spec: VariableSpec<string>): string {
    return this.#read(name, spec, spec.takes ?? 'text', (raw) => raw);
  }

  /** The path of a file; empty when there is none. */
  path(name: string, spec: OptionalSpec): string {
    return this.text(name, { takes: 'the path of a file', ...spec, default: '' });
  }

  /** A secret, which may also be given as `<name>_FILE`, the path of a file. */
  secret(name: string, spec: VariableSpec<string>): string {
    const takes = spec.takes ?? 'text';
    const path = this.env[`${name}_FILE`];
    if (path === undefined || path === '')
      return this.#read(name, spec, takes, (raw) => raw, { isSecret: true });
    this.#describe(name, spec, takes, { isSecret: true });
    return this.#readSecretFile(name, path);
  }

  #readSecretFile(name: string, path: string): string {
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

  /** A secret that `spec.parse` turns into an object. */
  parsedSecret<T extends object>(name: string, spec: ParsedSpec<T>): T {
    const raw = this.secret(name, spec);
    const parsed = raw ? spec.parse(raw) : '';
    // The value is not shown, because it is a secret.
    if (raw && typeof parsed === 'string') this.#problems.push(`${name} ${parsed}`);
    return parsed as T;
  }

  /** `host:port`. */
  address(name: string, spec: VariableSpec<string>): string {
    return this.#read(name, spec, 'host:port, e.g. 0.0.0.0:50051', (raw) =>
      isAddress(raw) ? raw : undefined,
    );
  }

  /** The address of a peer: `host:port`, or a gRPC target such as `dns:///identity:50051`. */
  target(name: string, spec: VariableSpec<string>): string {
    const takes =
      'host:port or a gRPC target such as dns:///identity:50051 or ipv4:10.0.0.1:50051,10.0.0.2:50051';
    return this.#read(name, spec, takes, (raw) => (isTarget(raw) ? raw : undefined));
  }

  /** A URL with one of the given schemes. It may contain a password, so it is read like a secret. */
  url(name: string, spec: UrlSpec): string {
    const takes = `a URL starting with ${spec.schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
    const raw = this.secret(name, { ...spec, takes });
    if (raw && !spec.schemes.some((scheme) => raw.startsWith(`${scheme}://`))) {
      this.#problems.push(`${name} is "${withoutPassword(raw)}", but must be ${takes}`);
    }
    return raw;
  }

  /** A whole number within limits. */
  integer(name: string, spec: IntegerSpec): number {
    const takes = `a whole number from ${spec.min} to ${spec.max}`;
    return this.#read(
      name,
      spec,
      takes,
      (raw) => {
        const value = Number(raw);
        const fits = Number.isInteger(value) && value >= spec.min && value <= spec.max;
        return fits ? value : undefined;
      },
      spec,
    );
  }

  /** One of the given words. */
  oneOf<T extends string>(name: string, choices: readonly T[], spec: VariableSpec<T>): T {
    const takes = `one of ${choices.filter(Boolean).join(', ')}`;
    return this.#read(name, spec, takes, (raw) => choices.find((choice) => choice === raw), {
      choices,
    });
  }

  /** `on` or `off`. */
  flag(name: string, spec: FlagSpec): boolean {
    const word = spec.default ? 'on' : 'off';
    return this.oneOf(name, ['on', 'off'], { ...spec, default: word }) === 'on';
  }

  /** The value of a variable that is declared elsewhere; empty when it is not set. */
  valueOf(name: string): string {
    return this.env[name]?.trim() ?? '';
  }

  isSet(name: string): boolean {
    return this.valueOf(name) !== '';
  }

  /** Adds a problem that the caller found in values that depend on each other or on files. */
  problem(text: string): void {
    this.#problems.push(text);
  }

  /** Throws a ConfigError if there were problems; otherwise returns the frozen configuration. */
  done<T extends object>(config: T): Readonly<T> {
    if (this.#problems.length > 0) throw new ConfigError([...new Set(this.#problems)].join('\n'));
    return Object.freeze(config);
  }

  #read<T extends string | number>(
    name: string,
    spec: VariableSpec<T>,
    takes: string,
    parse: (raw: string) => T | undefined,
    more: VariableLimits & { readonly isSecret?: boolean } = {},
  ): T {
    this.#describe(name, spec, takes, more);
    const raw = this.env[name];
    if (raw === undefined || raw === '') {
      if (spec.default === undefined)
        this.#problems.push(`${name} is not set; it must be ${takes}`);
      // Any problem makes `done` throw, so the missing value is never used.
      return spec.default as unknown as T;
    }
    const value = parse(raw.trim());
    if (value === undefined) this.#problems.push(`${name} is "${raw}", but must be ${takes}`);
    return value as unknown as T;
  }

  #describe(
    name: string,
    spec: VariableSpec<string | number>,
    takes: string,
    { min, max, choices, isSecret = false }: VariableLimits & { readonly isSecret?: boolean },
  ): void {
    const fallback = spec.default === undefined ? {} : { default: String(spec.default) };
    const limits = JSON.parse(JSON.stringify({ min, max, choices })) as VariableLimits;
    this.#variables.set(name, { name, about: spec.about, takes, isSecret, ...fallback, ...limits });
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

/** Returns the URL with its password masked. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:…@');
}
