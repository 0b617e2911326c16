// The `@` of an e-mail address begins no mention, and a longer name mentions nobody with a shorter one.
const mention = /(?<![\p{L}\p{M}\p{N}_])@([a-z0-9][a-z0-9_-]*)(?![\p{L}\p{M}\p{N}_])/giu;

/**
 * The usernames that a text mentions by `@`, each once, in the order of the members. Upper case counts
 * as lower case; what a sentence puts behind a name, e.g. a full stop or a dash, is no part of it.
 */
export function findMentions(text: string, usernames: readonly string[]): string[] {
  const said = new Set<string>();
  for (const [, name = ''] of text.matchAll(mention)) {
    const plain = name.toLowerCase();
    said.add(usernames.includes(plain) ? plain : plain.replace(/[-_]+$/, ''));
  }
  return usernames.filter((username) => said.has(username));
}
