/** Returns what is currently not working; undefined if there is no problem. */
export type Condition = () => string | undefined;

/** What a service that accepts calls is currently unable to do, for `/readyz`. */
export class Conditions {
  readonly #conditions: Condition[] = [];

  add(condition: Condition): void {
    this.#conditions.push(condition);
  }

  list(): string[] {
    return this.#conditions.flatMap((condition) => condition() ?? []);
  }
}
