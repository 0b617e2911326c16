import { expect, it } from '@jest/globals';
import { expandHome } from './expand-home';

it.each([
  ['~', '/home/ada'],
  ['~/in', '/home/ada/in'],
  ['~bob/in', '~bob/in'],
  ['in/~', 'in/~'],
  ['/in', '/in'],
])('resolves %s to %s', (path, expected) => {
  expect(expandHome(path, '/home/ada')).toBe(expected);
});
