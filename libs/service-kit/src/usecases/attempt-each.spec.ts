import { expect, it } from '@jest/globals';
import { attemptEach } from './attempt-each';

it('attemptEach handles the remaining items when one fails, and throws at the end', async () => {
  const done: string[] = [];
  const attempt = async (item: string): Promise<void> => {
    if (item === 'bad') throw new Error('no');
    done.push(item);
  };
  await expect(attemptEach(['one', 'bad', 'two'], attempt)).rejects.toThrow('1 failed');
  expect(done).toEqual(['one', 'two']);
});
