/**
 * The id of the person for whom the gateway served this page. A browser has one session, which is replaced when another
 * person signs in from a different window. So every request from the page carries this id, and the gateway refuses the
 * request if the session belongs to someone else.
 */
export const pageUser: string =
  document.querySelector<HTMLMetaElement>('meta[name="daycare-user"]')?.content ?? '';

/**
 * Adds the person's id to the URL of a link, picture or form, which cannot send a header. `path` must have no query.
 */
export function asPageUser(path: string): string {
  return `${path}?expected-user=${encodeURIComponent(pageUser)}`;
}

/** Loads the console for the person who is signed in now, because nothing on this page belongs to them. */
export function reloadConsole(): void {
  location.assign('/');
}
