/** Returns what does not work at this moment; undefined when there is no problem. */
export type Condition = () => string | undefined;

/** What a service that accepts calls cannot do at this moment, for `/readyz`. */
export class Conditions {
  readonly #conditions: Condition[] = [];

  add(condition: Condition): void {
    this.#conditions.push(condition);
  }

  list(): string[] {
    return this.#conditions.flatMap((condition) => condition() ?? []);
  }
}
