import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate, crc32, deflateSync } from 'node:zlib';

/** A single-colour PNG. The header states the full height, even if only the first `rows` rows have pixels. */
export function samplePng(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = Buffer.alloc(rows * (width * 3 + 1), 0x80);
  for (let row = 0; row < rows; row += 1) pixels[row * (width * 3 + 1)] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PDF with a line of text on each page. */
export function samplePdf(...pages: readonly string[]): Buffer {
  return pdfOf(
    pages.map((text) => {
      const content = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
      return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
    }),
  );
}

/** A small PDF whose only page decompresses to this many megabytes. */
export async function inflatingPdf(megabytes: number): Promise<Buffer> {
  const spaces = Buffer.alloc(1_048_576, ' ');
  const blocks = Readable.from(Array.from({ length: megabytes }, () => spaces));
  const content = (await buffer(blocks.pipe(createDeflate()))).toString('latin1');
  const dictionary = `<< /Length ${content.length} /Filter /FlateDecode >>`;
  return pdfOf([`${dictionary}\nstream\n${content}\nendstream`]);
}

/** A PDF whose pages have these content streams. */
function pdfOf(contents: readonly string[]): Buffer {
  const kids = contents.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      content,
    ]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}${table}${trailer}`, 'latin1');
}
