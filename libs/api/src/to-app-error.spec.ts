import { describe, expect, it } from '@jest/globals';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { AppError } from './app-error';
import { toAppError } from './to-app-error';

describe('toAppError', () => {
  it('returns an AppError unchanged', () => {
    const error = new AppError('NOT_FOUND', 'User not found');
    expect(toAppError(error)).toBe(error);
  });

  it('hides an unknown failure behind a generic message and keeps it as the cause', () => {
    const secret = new Error('duplicate key { email: "ada@example.org" }');
    const error = toAppError(secret);
    expect(error).toMatchObject({ code: 'INTERNAL', message: 'Internal error', cause: secret });
  });

  it('maps a lost database connection to UNAVAILABLE', () => {
    expect(toAppError(new MongoNetworkError('socket closed')).code).toBe('UNAVAILABLE');
  });

  it('maps a connection failure to UNAVAILABLE, whether wrapped in a bulk write error or passed on unchanged', () => {
    const wrapped = new MongoServerError(new MongoNetworkError('read ECONNRESET'));
    expect(toAppError(wrapped).code).toBe('UNAVAILABLE');
    const ended = Object.assign(new Error('This socket has been ended'), { code: 'EPIPE' });
    expect(toAppError(ended).code).toBe('UNAVAILABLE');
  });

  it.each(['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'])(
    'maps an error that MongoDB labels as %s to UNAVAILABLE',
    (label) => {
      const error = new MongoServerError({ message: 'stepped down' });
      error.addErrorLabel(label);
      expect(toAppError(error).code).toBe('UNAVAILABLE');
    },
  );

  it.each([10107, 11602, 189, 91, 13435, 43, 50])(
    'maps the MongoDB server error %d to UNAVAILABLE even if it has no label',
    (code) => {
      const error = new MongoServerError({ message: 'not primary', code });
      expect(toAppError(error).code).toBe('UNAVAILABLE');
    },
  );

  it('maps an error from another system to INTERNAL even if MongoDB uses the same code', () => {
    const error = Object.assign(new Error('not found'), { code: 7 });
    expect(toAppError(error).code).toBe('INTERNAL');
  });

  it.each([undefined, 2, 11000, 13])(
    'maps a MongoDB error with the code %p to INTERNAL',
    (code) => {
      const error = new MongoServerError({ message: 'bad query', code });
      expect(toAppError(error).code).toBe('INTERNAL');
    },
  );

  it.each(['text', undefined, 42, { code: 5 }])('maps a thrown %p to INTERNAL', (thrown) => {
    expect(toAppError(thrown).code).toBe('INTERNAL');
  });
});
