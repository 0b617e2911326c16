/**
 * Turns the output of a terminal into an SVG: a small terminal emulator that supports only what our own programs write,
 * and a renderer that follows the reader's light or dark theme.
 */
const charWidth = 8.4;
const lineHeight = 18;
const padding = 16;
const barHeight = 28;

const palettes = {
  light: {
    back: '#ffffff',
    bar: '#eaeef2',
    edge: '#d0d7de',
    text: '#1f2328',
    dim: '#656d76',
    31: '#cf222e',
    32: '#116329',
    33: '#7d4e00',
    36: '#1b7c83',
  },
  dark: {
    back: '#0d1117',
    bar: '#161b22',
    edge: '#30363d',
    text: '#e6edf3',
    dim: '#8b949e',
    31: '#ff7b72',
    32: '#56d364',
    33: '#e3b341',
    36: '#56d4dd',
  },
};

/** Returns the rows on the screen and those that have scrolled off it; each cell is a character with its style. */
export function emulate(output, columns) {
  const rows = [[]];
  let [row, column, style] = [0, 0, ''];
  const styles = new Set();
  const put = (character) => {
    if (column >= columns) newLine();
    rows[row][column] = { character, style };
    column += 1;
  };
  const newLine = () => {
    row += 1;
    column = 0;
    rows[row] ??= [];
  };
  const select = (parameters) => {
    for (const code of parameters.length === 0 ? [0] : parameters) {
      if (code === 0) styles.clear();
      else if (code === 22) ['bold', 'dim'].forEach((name) => styles.delete(name));
      else if (code === 23) styles.delete('italic');
      else if (code === 39)
        [...styles].filter((name) => name.startsWith('c')).forEach((name) => styles.delete(name));
      else styles.add({ 1: 'bold', 2: 'dim', 3: 'italic' }[code] ?? `c${code}`);
    }
    style = [...styles].join(' ');
  };
  const control = (kind, parameters) => {
    const [count = 1] = parameters;
    if (kind === 'm') select(parameters);
    if (kind === 'A') row = Math.max(0, row - count);
    if (kind === 'B') row += count;
    if (kind === 'C') column += count;
    if (kind === 'D') column = Math.max(0, column - count);
    if (kind === 'G') column = count - 1;
    if (kind === 'K') rows[row] = parameters[0] === 2 ? [] : rows[row].slice(0, column);
    if (kind === 'J') {
      rows[row] = rows[row].slice(0, column);
      rows.length = row + 1;
    }
  };
  const pattern =
    /\u001b\[([?\d;]*)([A-Za-z])|\u001b\][^\u0007]*\u0007|(\r)|(\n)|([^\u0000-\u001f\u007f])/gu;
  for (const [, parameters, kind, isReturn, isNewLine, character] of output.matchAll(pattern)) {
    if (kind && !parameters.startsWith('?'))
      control(kind, parameters.split(';').filter(Boolean).map(Number));
    else if (isReturn) column = 0;
    else if (isNewLine) {
      row += 1;
      rows[row] ??= [];
    } else if (character) put(character);
  }
  while (rows.length > 1 && textOf(rows.at(-1)).trim() === '') rows.pop();
  return rows;
}

export function textOf(row) {
  return Array.from(row, (cell) => cell?.character ?? ' ').join('');
}

/**
 * Renders rows as an SVG. `theme` limits the image to one palette; with `lineMs`, each line appears that many
 * milliseconds after the previous one.
 */
export function toSvg(rows, { columns, title, theme, lineMs }) {
  const width = Math.ceil(columns * charWidth + 2 * padding);
  const height = rows.length * lineHeight + barHeight + 2 * padding;
  const lines = rows.map((row, index) => {
    const y = barHeight + padding + (index + 0.75) * lineHeight;
    const delay =
      lineMs === undefined ? '' : ` class="line" style="animation-delay:${index * lineMs}ms"`;
    return `<text y="${y}" x="${padding}" xml:space="preserve"${delay}>${runsOf(row).map(toSpan).join('')}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${18 + index * 20}" cy="${barHeight / 2}" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<style>${styleSheet(theme)}${lineMs === undefined ? '' : animation}</style>
<rect class="back" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M0.5 ${barHeight}V8.5a8 8 0 0 1 8-8H${width - 8.5}a8 8 0 0 1 8 8V${barHeight}z"/>
${dots.join('')}<text class="title" x="${width / 2}" y="19" text-anchor="middle">${escape(title)}</text>
${lines.join('\n')}
</svg>
`;
}

const animation =
  '@media (prefers-reduced-motion:no-preference){.line{opacity:0;animation:show 1ms forwards}}@keyframes show{to{opacity:1}}';

function styleSheet(theme) {
  const font =
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}.bold{font-weight:700}.italic{font-style:italic}';
  if (theme) return font + rules(palettes[theme]);
  return `${font}${rules(palettes.light)}@media (prefers-color-scheme:dark){${rules(palettes.dark)}}`;
}

function rules({ back, bar, edge, text, dim, ...colours }) {
  const painted = Object.entries(colours).map(([code, colour]) => `.c${code}{fill:${colour}}`);
  return `.back{fill:${back};stroke:${edge}}.bar{fill:${bar};stroke:${edge}}text{fill:${text}}.dim,.title{fill:${dim}}${painted.join('')}`;
}

/** Joins neighbouring cells of the same style, so that they become one element. */
function runsOf(row) {
  const runs = [];
  for (const cell of Array.from(row, (each) => each ?? { character: ' ', style: '' })) {
    const last = runs.at(-1);
    if (last?.style === cell.style) last.text += cell.character;
    else runs.push({ style: cell.style, text: cell.character });
  }
  return runs;
}

function toSpan({ style, text }) {
  return style === '' ? escape(text) : `<tspan class="${style}">${escape(text)}</tspan>`;
}

function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
