/**
 * The id of the person for whom the gateway served this page. A browser has one session, and another person may replace
 * it in another window. So every request of the page names this person, and the gateway refuses the request if the
 * session belongs to someone else.
 */
export const pageUser: string =
  document.querySelector<HTMLMetaElement>('meta[name="daycare-user"]')?.content ?? '';

/** Adds the person to the address of a link, picture or form, which cannot send a header. */
export function asPageUser(path: string): string {
  return `${path}?expected-user=${encodeURIComponent(pageUser)}`;
}

/** Loads the console for the person who is signed in now: nothing on this page belongs to them. */
export function reloadConsole(): void {
  location.assign('/');
}
