import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { promptSecret } from './prompt-secret';

async function answer(typed: string): Promise<{ line: string | undefined; shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked = promptSecret('Key: ', input, output);
  input.write(typed);
  const line = await asked;
  output.end();
  return { line, shown: Buffer.concat(await output.toArray()).toString() };
}

it('a typed secret is not echoed', async () => {
  expect(await answer('hush\n')).toEqual({ line: 'hush', shown: 'Key: \n' });
});

it.each(['hu\u0003', '\u0004'])(
  'a prompt that is cancelled with %j returns nothing',
  async (typed) => {
    expect((await answer(typed)).line).toBeUndefined();
  },
);
