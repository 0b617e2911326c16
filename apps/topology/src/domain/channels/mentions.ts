// Matches neither the `@` inside an e-mail address nor a prefix of a longer name.
const mention = /(?<![\p{L}\p{M}\p{N}_])@([a-z0-9][a-z0-9_-]*)(?![\p{L}\p{M}\p{N}_])/giu;

/**
 * The usernames that a text mentions by `@`, each once, in the order of `usernames`. Case is ignored, and
 * punctuation after a name, such as a full stop or a dash, is not part of it.
 */
export function findMentions(text: string, usernames: readonly string[]): string[] {
  const mentioned = new Set<string>();
  for (const [, name = ''] of text.matchAll(mention)) {
    const plain = name.toLowerCase();
    mentioned.add(usernames.includes(plain) ? plain : plain.replace(/[-_]+$/, ''));
  }
  return usernames.filter((username) => mentioned.has(username));
}
