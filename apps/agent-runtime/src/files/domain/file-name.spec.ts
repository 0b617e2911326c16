import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/api';
import { checkFileName } from './file-name';

const check = (name: string) => () => checkFileName(new FieldChecks(), name).done();

describe('checkFileName', () => {
  it.each(['a', 'photo.png', '.env', '...', 'Straße 7 🦊.txt', 'a'.repeat(255), 'é'.repeat(127)])(
    'accepts the file name %p',
    (name) => {
      expect(check(name)).not.toThrow();
    },
  );

  it.each([
    ['', 'name is required'],
    ['a'.repeat(256), 'name must be 1 to 255 bytes in UTF-8, got 256'],
    ['é'.repeat(128), 'name must be 1 to 255 bytes in UTF-8, got 256'],
    ['a/b', 'name must not contain / or \\'],
    ['..\\b', 'name must not contain / or \\'],
    ['a\u0000b', 'name must not contain control characters'],
    ['a\nb', 'name must not contain control characters'],
    ['a\u007f', 'name must not contain control characters'],
    ['a\u0085', 'name must not contain control characters'],
    ['half \ud83e', 'name must be well-formed Unicode'],
    ['.', 'name must name a file, not a folder'],
    ['..', 'name must name a file, not a folder'],
  ])('refuses the file name %p', (name, message) => {
    expect(check(name)).toThrow(message);
  });
});
