/** Returns what is currently not working; undefined if there is no problem. */
export type Condition = () => string | undefined;

/** The current problems of a service that nevertheless accepts calls, for `/readyz` and the service status. */
export class Conditions {
  readonly #conditions: Condition[] = [];

  add(condition: Condition): void {
    this.#conditions.push(condition);
  }

  list(): string[] {
    return this.#conditions.flatMap((condition) => condition() ?? []);
  }
}
