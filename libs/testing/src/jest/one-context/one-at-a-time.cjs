/**
 * Replaces the AsyncLocalStorage in which Jest stores which test is running. Jest creates one for each test file and
 * never disables it, so in the hundredth file a hundred of them would track every promise. Our tests run one at a time,
 * so a variable is enough.
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
