import { readFile } from 'node:fs/promises';
import type { Report } from './report';

/** Reads a report that an earlier run has written; throws if the file is not a report. */
export async function readReport(file: string): Promise<Report> {
  const report = JSON.parse(await readFile(file, 'utf8')) as Partial<Report> | null;
  if (!Array.isArray(report?.results) || !report.rest)
    throw new Error(`${file} is not a bench report`);
  return report as Report;
}
