/**
 * Stands in for the AsyncLocalStorage in which Jest notes the running test. Each test file creates one and none is ever
 * disabled, so in the hundredth file a hundred of them would track every promise. Our tests run one at a time, so a
 * variable is enough.
 */
class OneAtATime {
  #store;

  getStore() {
    return this.#store;
  }

  run(store, callback) {
    const before = this.#store;
    const end = () => (this.#store = before);
    this.#store = store;
    try {
      const result = callback();
      if (typeof result?.then === 'function') return result.finally(end);
      end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }
}

module.exports = { AsyncLocalStorage: OneAtATime };
