import { createInterface } from 'node:readline/promises';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

/** Asks a person at a terminal; throws unless they agree. A script cannot be asked, so it must pass --yes. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure(exitCodes.usage, `${question} Pass --yes to confirm.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new Failure(exitCodes.failure, 'Nothing was changed.');
}
