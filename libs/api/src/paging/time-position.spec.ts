import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldChecks } from '../field-checks';
import { pageTokenAfter, readTimePage } from './time-position';

const read = (pageToken: string) => {
  const checks = new FieldChecks();
  const { after } = readTimePage({ pageSize: 0, pageToken }, checks);
  checks.done();
  return after;
};

describe('in lists sorted by creation time', () => {
  it('reading a page token returns the position that it was made from', () => {
    const ids = fc.stringMatching(/^[a-z0-9]{2,64}$/);
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        ids,
        (createdAt, id) => {
          expect(read(pageTokenAfter({ createdAt, id }))).toEqual({ createdAt, id });
        },
      ),
    );
  });

  it('the last page has an empty page token', () => {
    expect(pageTokenAfter(undefined)).toBe('');
  });

  it.each([
    'nonsense',
    'e30',
    ...['1 {"$gt":""}', '[1]', '["1","a"]', '[1,2]', '[1,"a","b"]', '[1,{"$gt":""}]'].map((text) =>
      Buffer.from(text).toString('base64url'),
    ),
  ])('the page token %p is refused', (token) => {
    expect(() => read(token)).toThrow('The page token is invalid');
  });
});
