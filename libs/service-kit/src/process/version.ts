/** Replaced by tools/bundle.mjs. */
declare const __DAYCARE_VERSION__: string | undefined;

/** The version of the bundle; code that was not bundled has none. */
export const version =
  typeof __DAYCARE_VERSION__ === 'string' ? __DAYCARE_VERSION__ : 'development';
