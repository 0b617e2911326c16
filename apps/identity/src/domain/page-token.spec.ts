import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodePageToken, encodePageToken } from './page-token';

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
