import { expect, it } from '@jest/globals';
import { expandHome } from './expand-home';

it.each([
  ['~', '/home/ada'],
  ['~/in', '/home/ada/in'],
  ['~bob/in', '~bob/in'],
  ['in/~', 'in/~'],
  ['/in', '/in'],
])('expands %s to %s when the home folder is /home/ada', (path, expected) => {
  expect(expandHome(path, '/home/ada')).toBe(expected);
});
