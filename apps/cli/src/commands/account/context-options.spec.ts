import { expect, it } from '@jest/globals';
import { Command } from 'commander';
import { resolve } from 'node:path';
import type { Context, TlsFiles } from '../../client/contexts/context';
import { exitCodes } from '../../failure/exit-codes';
import { install } from '../kit/command';
import { contextCommands } from './context';
import { applyOptions } from './context-options';

const set = contextCommands.find(({ name }) => name === 'set')!;

/** Returns a context's TLS files after `context set` with these options. */
function tlsAfter(flags: string, tls?: TlsFiles): TlsFiles | undefined {
  const command = new Command().exitOverride();
  install(command, set, async () => undefined);
  command.parse(['work', ...flags.split(' ').filter((flag) => flag !== '')], { from: 'user' });
  const before: Context = { addresses: { identity: 'a:1' }, ...(tls ? { tls } : {}) };
  const after = applyOptions(before, command.opts());
  expect(after.addresses).toEqual({ identity: 'a:1' });
  expect('tls' in after).toBe(after.tls !== undefined);
  return after.tls;
}

const mutual = { ca: '/ca', cert: '/cert', key: '/key' };

it.each<[string, TlsFiles | undefined, TlsFiles | undefined]>([
  ['', undefined, undefined],
  ['', mutual, mutual],
  ['--tls', undefined, {}],
  ['--tls', mutual, mutual],
  ['--tls-ca ca.pem', undefined, { ca: resolve('ca.pem') }],
  ['--tls-ca /new', mutual, { ...mutual, ca: '/new' }],
  ['--no-tls', mutual, undefined],
  ['--no-tls', undefined, undefined],
  ['--no-tls-ca', mutual, { cert: '/cert', key: '/key' }],
  ['--no-tls-ca', { ca: '/ca' }, {}],
  ['--no-tls-ca', undefined, undefined],
  ['--no-tls-cert', mutual, { ca: '/ca' }],
  ['--no-tls-cert', undefined, undefined],
  ['--no-tls-ca --tls-cert /new', mutual, { cert: '/new', key: '/key' }],
])('context set with the options %j makes the TLS files %j into %j', (flags, before, after) => {
  expect(tlsAfter(flags, before)).toEqual(after);
});

it.each(['--no-tls --tls-ca /ca', '--no-tls --tls-key /key', '--no-tls-cert --tls-key /key'])(
  'context set refuses the contradictory options %s',
  (flags) => {
    expect(() => tlsAfter(flags)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
  },
);
