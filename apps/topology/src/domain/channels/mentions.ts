// Matches neither the `@` inside an e-mail address nor a prefix of a longer name.
const mention = /(?<![\p{L}\p{M}\p{N}_])@([a-z0-9][a-z0-9_-]*)(?![\p{L}\p{M}\p{N}_])/giu;

/**
 * Returns the usernames that the text mentions with `@`, without duplicates, in the order of `usernames`. Ignores case,
 * and punctuation after a name, such as a full stop or a dash.
 */
export function findMentions(text: string, usernames: readonly string[]): string[] {
  const mentioned = new Set<string>();
  for (const [, name = ''] of text.matchAll(mention)) {
    const plain = name.toLowerCase();
    mentioned.add(usernames.includes(plain) ? plain : plain.replace(/[-_]+$/, ''));
  }
  return usernames.filter((username) => mentioned.has(username));
}
