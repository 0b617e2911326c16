import { getDocumentProxy } from 'unpdf';
import type { ReadPdf } from '../../files/domain/conversion';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Extracts the text of a PDF, page by page. If the text is truncated, a final line says so. */
export async function readPdf(content: Buffer, { maxCharacters }: ReadPdf): Promise<Buffer> {
  const pdf = await getDocumentProxy(new Uint8Array(content), {
    // Does not run code in fonts, and loads nothing from outside the file.
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
  });
  const pages: string[] = [];
  let length = 0;
  for (let page = 1; page <= pdf.numPages && length < maxCharacters; page += 1) {
    const text = await textOf(pdf, page);
    pages.push(`[page ${page} of ${pdf.numPages}]\n${text}`);
    length += text.length;
  }
  const text = pages.join('\n');
  const isTruncated = text.length > maxCharacters || pages.length < pdf.numPages;
  const end = isTruncated
    ? `\n[truncated: only the first ${maxCharacters} characters can be read]`
    : '';
  return Buffer.from(`${text.slice(0, maxCharacters)}${end}`);
}

async function textOf(pdf: PdfDocument, pageNumber: number): Promise<string> {
  const page = await pdf.getPage(pageNumber);
  const { items } = await page.getTextContent();
  page.cleanup();
  const pieces = items.flatMap((item) =>
    'str' in item ? [item.str, item.hasEOL ? '\n' : ''] : [],
  );
  // Text with control characters would be mistaken for a binary file.
  return pieces.join('').replace(/[\u0000-\u0008\u000b-\u001f]/g, ' ');
}
