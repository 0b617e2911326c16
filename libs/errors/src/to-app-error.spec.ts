import { describe, expect, it } from '@jest/globals';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { AppError } from './app-error';
import { toAppError } from './to-app-error';

describe('toAppError', () => {
  it('leaves an AppError as it is', () => {
    const error = new AppError('NOT_FOUND', 'User not found');
    expect(toAppError(error)).toBe(error);
  });

  it('says nothing of an unknown failure but keeps it as the cause', () => {
    const secret = new Error('duplicate key { email: "ada@example.org" }');
    const error = toAppError(secret);
    expect(error).toMatchObject({ code: 'INTERNAL', message: 'Internal error', cause: secret });
  });

  it('takes a lost database connection for a passing failure', () => {
    expect(toAppError(new MongoNetworkError('socket closed')).code).toBe('UNAVAILABLE');
  });

  it('takes it for one also when a bulk write wraps it or the driver passes it on as it is', () => {
    const wrapped = new MongoServerError(new MongoNetworkError('read ECONNRESET'));
    expect(toAppError(wrapped).code).toBe('UNAVAILABLE');
    const ended = Object.assign(new Error('This socket has been ended'), { code: 'EPIPE' });
    expect(toAppError(ended).code).toBe('UNAVAILABLE');
  });

  it('takes a failure that the database labels as passing for one', () => {
    const error = new MongoServerError({ message: 'stepped down' });
    error.addErrorLabel('RetryableWriteError');
    expect(toAppError(error).code).toBe('UNAVAILABLE');
    expect(toAppError(new MongoServerError({ message: 'bad query' })).code).toBe('INTERNAL');
  });

  it.each(['text', undefined, 42, { code: 5 }])(
    'takes a thrown %p for an internal error',
    (thrown) => {
      expect(toAppError(thrown).code).toBe('INTERNAL');
    },
  );
});
