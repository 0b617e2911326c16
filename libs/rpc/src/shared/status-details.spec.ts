import { describe, expect, it } from '@jest/globals';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { Status } from '@daycare/contracts/google-rpc';
import { AppError } from '@daycare/api';
import { fromGrpcError, fromStatus, toGrpcStatus, toStatus } from './status-details';

const original = new AppError('RATE_LIMITED', 'Too many calls', { retryAfterMs: 250 });

function errorWithDetails(bytes: Uint8Array): ServiceError {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  const error = new Error('14 UNAVAILABLE: 10.0.0.7 is away');
  return Object.assign(error, { code: status.UNAVAILABLE, details: '10.0.0.7 is away', metadata });
}

const whole = Buffer.from(Status.encode(toStatus(original)).finish());
const broken = Status.encode({
  ...toStatus(original),
  details: toStatus(original).details.map((detail) => ({
    ...detail,
    value: Buffer.from([0x0a, 9]),
  })),
}).finish();

describe('fromGrpcError', () => {
  it('restores the error that the peer threw', () => {
    const { metadata } = toGrpcStatus(original);
    const error = errorWithDetails(metadata.get('grpc-status-details-bin')[0] as Buffer);
    expect(fromGrpcError(error)).toMatchObject({ code: 'RATE_LIMITED', details: original.details });
  });

  it('restores the punctuation in a message, which proxies escape in the header', () => {
    const { metadata } = toGrpcStatus(new AppError('CONFLICT', 'Wait, then repeat; it may work'));
    const escaped = { details: 'Wait%2C then repeat%3B it may work', metadata };
    const error = Object.assign(new Error('6'), { code: status.ALREADY_EXISTS, ...escaped });
    expect(fromGrpcError(error).message).toBe('Wait, then repeat; it may work');
  });

  it.each([
    'Received message larger than max (3145728 vs 2097152)',
    'Received message that decompresses to a size larger than 2097152',
    'Attempted to send message with a size larger than 4194304',
    'message size 3145728 is larger than configured readMaxBytes 2097152',
  ])(
    'turns the error for an oversized message into INVALID_ARGUMENT, not RATE_LIMITED: %s',
    (details) => {
      const metadata = new Metadata();
      const error = Object.assign(new Error('8'), { code: 8, details, metadata });
      expect(fromGrpcError(error)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: 'The request or its response is too large',
      });
      const limited = Object.assign(new Error('8'), { code: 8, details: 'slow down', metadata });
      expect(fromGrpcError(limited).code).toBe('RATE_LIMITED');
    },
  );

  it.each<[string, Uint8Array]>([
    ['a length beyond the end', Buffer.from([0x1a, 0x7f, 0x01])],
    ['an unfinished number', Buffer.from([0x08, 0xff])],
    ['a truncated status', whole.subarray(0, whole.length - 3)],
    ['an inner message that cannot be decoded', broken],
  ])('ignores malformed details: %s', (_, bytes) => {
    expect(fromGrpcError(errorWithDetails(bytes))).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.not.stringContaining('10.0.0.7'),
    });
  });
});

describe('fromStatus', () => {
  it('ignores malformed details', () => {
    expect(fromStatus(Status.decode(broken))).toMatchObject({ code: 'RATE_LIMITED', details: {} });
  });
});
