import { AppError, type FieldViolation } from './app-error';
import { parseNametag, type Nametag } from './nametag';

// Control characters other than tab and line breaks; a display name allows none of them.
const control = /[\u0000-\u001f\u007f-\u009f]/;

const pageLimits = { default: 100, max: 1_000 };
/** How much white space may stand around a text. */
const mostPadding = 1_024;
/** A request that is wrong in more places is not told of each. */
const mostViolations = 50;

/** Whether a string is well-formed Unicode, as protobuf requires: no half of a surrogate pair. */
const isWellFormed = (value: string): boolean => !/\p{Surrogate}/u.test(value);

/** In characters after trimming, unless there is more around them than anybody means. */
function lengthOf(value: string): number {
  const trimmed = value.trim();
  return Array.from(value.length - trimmed.length > mostPadding ? value : trimmed).length;
}

/**
 * Collects what is wrong with a request so that the caller hears all of it at once.
 * Check every field, then call `done`, which throws INVALID_ARGUMENT if anything was found.
 */
export class FieldChecks {
  readonly #violations: FieldViolation[] = [];

  /** Records a violation unless `ok`. */
  require(ok: boolean, field: string, description: string): this {
    if (!ok && this.#violations.length < mostViolations)
      this.#violations.push({ field, description });
    return this;
  }

  /** A caller-chosen id that makes retries recognisable: 1 to 128 visible ASCII characters. */
  requestId(value: string, field = 'request_id'): this {
    if (value === '') return this.require(false, field, 'is required');
    return this.require(
      /^[\x21-\x7e]{1,128}$/.test(value),
      field,
      'must be 1 to 128 visible ASCII characters',
    );
  }

  /** An id that we made; anything that cannot be one is refused before it reaches a query. */
  id(value: string, field: string): this {
    if (value === '') return this.require(false, field, 'is required');
    return this.require(/^[a-z0-9]{2,64}$/.test(value), field, 'is not a valid id');
  }

  /** A nametag as a person typed it; returns it as it is stored, or empty when it cannot be one. */
  nametag(typed: string, field: string): Nametag {
    const nametag = parseNametag(typed);
    const description =
      typed === '' ? 'is required' : 'must be lower-case words followed by digits, e.g. swiftfox42';
    this.require(nametag !== undefined, field, description);
    return nametag ?? '';
  }

  /** A text of several lines, counted in characters after trimming. */
  text(value: string, field: string, limits: { min: number; max: number }): this {
    const length = lengthOf(value);
    return this.require(
      length >= limits.min && length <= limits.max,
      field,
      `must be ${limits.min} to ${limits.max} characters, got ${length}`,
    ).require(
      !control.test(value.replace(/[\t\n\r]/g, '')) && isWellFormed(value),
      field,
      'must not contain control characters',
    );
  }

  /** A one-line text for people, counted in characters after trimming. */
  line(value: string, field: string, limits: { min: number; max: number }): this {
    const length = lengthOf(value);
    const range = limits.min === 0 ? `at most ${limits.max}` : `${limits.min} to ${limits.max}`;
    return this.require(
      length >= limits.min && length <= limits.max,
      field,
      `must be ${range} characters, got ${length}`,
    ).require(
      !control.test(value) && isWellFormed(value),
      field,
      'must not contain control characters',
    );
  }

  /** How many elements a page is to have; 0 asks for the default. */
  pageSize(requested: number, field = 'page_size'): number {
    this.require(
      requested >= 0 && requested <= pageLimits.max,
      field,
      `must be 0 to ${pageLimits.max}, got ${requested}`,
    );
    return requested || pageLimits.default;
  }

  /** How many elements a list may have. */
  count(length: number, field: string, limits: { min: number; max: number }): this {
    return this.require(
      length >= limits.min && length <= limits.max,
      field,
      `must have ${limits.min} to ${limits.max} elements, got ${length}`,
    );
  }

  /** Throws INVALID_ARGUMENT naming every field found wanting. */
  done(): void {
    const [first] = this.#violations;
    if (!first) return;
    throw new AppError('INVALID_ARGUMENT', `${first.field} ${first.description}`, {
      fields: this.#violations,
    });
  }
}
