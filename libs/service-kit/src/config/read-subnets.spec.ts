import { describe, expect, it } from '@jest/globals';
import { EnvReader } from './env-reader';
import { readSubnets } from './read-subnets';

const name = 'DAYCARE_TRUSTED_PROXIES';

function read(text: string, defaultText?: string) {
  const reader = new EnvReader({ [name]: text });
  const spec = { about: 'proxies', ...(defaultText && { default: defaultText }) };
  return reader.done(readSubnets(reader, name, spec));
}

describe('readSubnets', () => {
  it('reads addresses and subnets and ignores empty entries', () => {
    expect(read(' 10.0.0.0/8, fd00::1,')).toEqual([
      { address: '10.0.0.0', prefix: 8 },
      { address: 'fd00::1', prefix: 128 },
    ]);
  });

  it('the word none gives an empty list if there is a default', () => {
    expect(read('', '10.0.0.0/8')).toEqual([{ address: '10.0.0.0', prefix: 8 }]);
    expect(read('none', '10.0.0.0/8')).toEqual([]);
  });

  it.each([
    ['10.0.0.0/33', '10.0.0.0/33', undefined],
    ['10.0.0.1, proxy', 'proxy', undefined],
    ['none', 'none', undefined],
    ['none, 10.0.0.1', 'none', '10.0.0.0/8'],
  ])('rejects the list %j and quotes %j', (text, entry, defaultText) => {
    expect(() => read(text, defaultText)).toThrow(`${name} contains "${entry}"`);
  });
});
