import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodePageToken, encodePageToken, pageSizeOf } from './page-token';

describe('a page token', () => {
  it('is read back as it was made', () => {
    const ids = fc.stringMatching(/^[a-z0-9]{2,64}$/);
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        ids,
        (createdAt, id) => {
          expect(decodePageToken(encodePageToken({ createdAt, id }))).toEqual({ createdAt, id });
        },
      ),
    );
  });

  it.each(['nonsense', 'e30', Buffer.from('1 {"$gt":""}').toString('base64url')])(
    'of %p is refused',
    (token) => {
      expect(() => decodePageToken(token)).toThrow('page_token');
    },
  );
});

describe('a page size', () => {
  it('is 100 unless asked for, and at most 1,000', () => {
    expect([pageSizeOf(0), pageSizeOf(7), pageSizeOf(1_000)]).toEqual([100, 7, 1_000]);
    expect(() => pageSizeOf(1_001)).toThrow('page_size');
    expect(() => pageSizeOf(-1)).toThrow('page_size');
  });
});
