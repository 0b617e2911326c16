import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import type { MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { createLogger } from './create-logger';

const text = 'meet me at the harbour';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase('logger');
});
afterAll(() => mongo.close());

function logLine(err: unknown): { err: Record<string, unknown> } {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  logger.error({ err }, 'call failed');
  return JSON.parse(lines[0] ?? '') as { err: Record<string, unknown> };
}

describe('the log line for an error', () => {
  it('omits the documents of a failed bulk write', async () => {
    const letters = mongo.db.collection<{ _id: string; text: string }>('letters');
    const document = { _id: 'm1', text };
    const failure = await letters.insertMany([document, document]).catch((error: unknown) => error);
    const wrapped = new AppError('INTERNAL', 'The call failed', {}, { cause: failure });
    for (const error of [failure, wrapped, new AggregateError([failure], 'two failed')]) {
      const line = JSON.stringify(logLine(error));
      expect(line).toContain('E11000');
      expect(line).not.toContain(text);
    }
  });

  it("shows an error's type, message, code, labels, stack and cause", () => {
    const cause = Object.assign(new Error('inner'), { errorLabels: ['Transient'], op: { text } });
    const error = Object.assign(new TypeError('outer', { cause }), { code: 11000 });
    expect(logLine(error).err).toEqual({
      type: 'TypeError',
      message: 'outer',
      code: 11000,
      stack: error.stack,
      cause: { type: 'Error', message: 'inner', labels: ['Transient'], stack: cause.stack },
    });
  });

  it('contains only a few nested causes and truncates long text', () => {
    const loop = new Error('x'.repeat(100_000));
    loop.cause = loop;
    expect(JSON.stringify(logLine(loop)).length).toBeLessThan(60_000);
  });

  it('shows a thrown value that is not an error, but omits undefined', () => {
    expect(logLine('broken').err).toEqual({ type: 'string', message: 'broken' });
    expect(logLine(undefined).err).toBeUndefined();
  });
});
