import { getDocumentProxy } from 'unpdf';
import type { ReadPdf } from '../../files/domain/conversion';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The text of a PDF, page by page. If the text is cut, a final line says so. */
export async function readPdf(content: Buffer, { maxCharacters }: ReadPdf): Promise<Buffer> {
  const pdf = await getDocumentProxy(new Uint8Array(content), {
    // No code in fonts is run, and nothing is loaded from outside the file.
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
  });
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages && length < maxCharacters; number += 1) {
    const text = await textOf(pdf, number);
    pages.push(`[page ${number} of ${pdf.numPages}]\n${text}`);
    length += text.length;
  }
  const text = pages.join('\n');
  const isCut = text.length > maxCharacters || pages.length < pdf.numPages;
  const end = isCut ? `\n[cut: only the first ${maxCharacters} characters can be read]` : '';
  return Buffer.from(`${text.slice(0, maxCharacters)}${end}`);
}

async function textOf(pdf: PdfDocument, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const pieces = items.flatMap((item) =>
    'str' in item ? [item.str, item.hasEOL ? '\n' : ''] : [],
  );
  // With control characters, the text would be taken for a binary file.
  return pieces.join('').replace(/[\u0000-\u0008\u000b-\u001f]/g, ' ');
}
