/** Replaced by tools/bundle.mjs. */
declare const __DAYCARE_VERSION__: string | undefined;

/** The version of the bundle, or `development` for code that was not bundled. */
export const version =
  typeof __DAYCARE_VERSION__ === 'string' ? __DAYCARE_VERSION__ : 'development';
