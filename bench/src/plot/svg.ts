/** Escapes text for use between tags and in attributes. */
export function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (char) => entities[char]!);
}

/** Returns one element; attributes are escaped, the content is not. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content = '',
): string {
  const written = Object.entries(attributes)
    .map(
      ([key, value]) => ` ${key}="${escapeXml(typeof value === 'number' ? trim(value) : value)}"`,
    )
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export function text(
  x: number,
  y: number,
  words: string,
  attributes: Readonly<Record<string, string | number>> = {},
): string {
  return element('text', { x, y, ...attributes }, escapeXml(words));
}

/** Returns a whole picture with a white background, so that it can be read on any page. */
export function picture(width: number, height: number, content: readonly string[]): string {
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  };
  const font = { 'font-family': 'system-ui, sans-serif', 'font-size': 12, fill: '#222' };
  const background = element('rect', { width, height, fill: '#fff' });
  const lines = [background, ...content].join('\n');
  return `${element('svg', { ...frame, ...font }, `\n${lines}\n`)}\n`;
}

/** Colours that people with colour blindness can distinguish (Okabe and Ito). */
export const palette = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#b8a800',
  '#777777',
] as const;

/** Returns round numbers from 0 to at least `max`. */
export function ticksUpTo(max: number, maxTicks = 6): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / (maxTicks - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
}

function trim(value: number): string {
  return String(Math.round(value * 100) / 100);
}
