/**
 * The id of the person for whom the gateway has served this page. A browser has one session, which another person may replace
 * in another window: so every request of the page says as whom it is made, and the gateway refuses it as anyone else.
 */
export const pageUser: string =
  document.querySelector<HTMLMetaElement>('meta[name="daycare-user"]')?.content ?? '';

/** The address of a link, picture or form, which can send no header that says so. */
export function asPageUser(path: string): string {
  return `${path}?expected-user=${encodeURIComponent(pageUser)}`;
}

/** Loads the console as whoever is signed in now: nothing of this page is theirs. */
export function beginAgain(): void {
  location.assign('/');
}
