const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const inName = (codes: readonly number[]): string[] =>
  codes.map((code) => `home/a${String.fromCharCode(code)}b`);

const traversals = [
  ...['..', '../', '../..', '.', './', './home/a', '/', '//', '///', '', ' ', '~', '~/a', '~root'],
  ...['home/..', 'home/../', 'home/../..', 'home/../home/a', 'home/../../outside/canary.txt'],
  ...['home/.', 'home/./a', 'home/a/..', 'home/a/../b', 'home/a/.', 'home/a/../../../outside'],
  ...['home/', 'home//a', 'home/a/', 'home/a//b', '//home/a', 'home///', 'home/a/./b', 'home/./..'],
  ...['/etc/passwd', '//etc/passwd', '/home/a', '/proc/self/environ', '/dev/zero', '/tmp'],
  ...['home\\..\\..\\outside', 'home\\a', '..\\..', 'C:\\a', '\\\\host\\share', 'home/..\\..\\a'],
  ...['file:///etc/passwd', 'file:home/a', 'proc/self/root', 'etc/passwd', 'users/a', 'outside'],
  ...['.drafts/a', '.drafts', 'Home/a', 'HOME/a', 'home.', 'home ', ' home/a', 'hom\u0435/a'],
  ...['%2e%2e/a', '..%2f..', '%2fetc%2fpasswd', '..;/a', '....//a', '.../a', '..%00/a', '..%c0%af'],
  ...['\uff48\uff4f\uff4d\uff45/a', '\u2025/a', '\uff0e\uff0e/a', '\u2024\u2024/a', 'home\uff0fa'],
];

const lengths = [
  `home/${'a'.repeat(256)}`,
  `home/${'\u00e9'.repeat(128)}`,
  `home/${'\u{1f98a}'.repeat(64)}`,
  `home/${'a'.repeat(1_020)}`,
  `home/${'ab/'.repeat(400)}a`,
  `home/${'a/'.repeat(32)}a`,
  `${'home/'.repeat(33)}a`,
  'a'.repeat(1_000_000),
  `home/${'../'.repeat(300)}etc/passwd`,
];

const surrogates = ['home/\ud800', 'home/\udfff', 'home/a\ud83e', 'home/\udd8aa', '\ud800/a'];

/** Paths refused before anything is accessed. */
export const refusedPaths: readonly string[] = [
  ...traversals,
  ...lengths,
  ...surrogates,
  ...inName([...range(0x00, 0x1f), ...range(0x7f, 0x9f)]),
  ...inName([0xad, 0x61c, 0x180e, 0xfeff, ...range(0x200b, 0x200f), 0x2028, 0x2029]),
  ...inName([...range(0x202a, 0x202e), ...range(0x2060, 0x2064), ...range(0x2066, 0x206f)]),
  'home/..\u200b',
  'home/\u202etxt.exe',
  'home/..\0/a',
];

/** Names that look like an attempt to escape, or that other programs decode, but are ordinary names here. */
export const harmlessNames: readonly string[] = [
  ...['%2e%2e', '%2e%2e%2f%2e%2e', '..%2f..%2foutside', '%252e%252e', '..%00', '%00', '..%c0%af'],
  ...['...', '....', '..a', 'a..', '. .', '.. ', ' ..', '~', '~root', '-rf', '--', '*', '$HOME'],
  ...[
    '\u2024\u2024',
    '\u2025',
    '\uff0e\uff0e',
    '\u2215',
    '\u2044',
    '\uff0f',
    '\u29f8',
    '\u3002\u3002',
  ],
  ...[
    '$(id)',
    '`id`',
    '${PATH}',
    'a;b',
    'a|b',
    'a&b',
    'a"b',
    "a'b",
    'con',
    'nul.txt',
    'a:b',
    '.git',
  ],
  ...['constructor', '__proto__', 'toString', '\u{1f98a}', 'a'.repeat(255), '.drafts', 'memory'],
];
