import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findWorkspaceRoot } from '../../workspace-root';
import { renderAccounts } from './render-accounts';

const file = join(findWorkspaceRoot(__dirname), 'deploy', 'nats', 'accounts.conf');
const header = [
  '# Generated from libs/contracts/src/message-routes.ts by the test that compares it with the code; to update it:',
  '# UPDATE_NATS_ACCOUNTS=1 npx jest --config jest.config.cjs --rootDir libs/local-stack -t "the shipped accounts"',
  '',
].join('\n');

describe('renderAccounts', () => {
  it('the shipped accounts match the code', () => {
    const expected = `${header}${renderAccounts('daycare')}`;
    if (process.env['UPDATE_NATS_ACCOUNTS']) writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });

  it('lets only consumers publish receipts, each only in its own name and to the senders of its messages', () => {
    const publishers = accountsOf(renderAccounts('p')).map(([name, text]) => [
      name,
      sectionOf(text, 'publish').filter((subject) => subject.startsWith('p.receipts.')),
    ]);
    expect(Object.fromEntries(publishers)).toEqual({
      identity: [],
      'social-graph': ['p.receipts.identity.social-graph', 'p.receipts.agent-runtime.social-graph'],
      'agent-runtime': [
        'p.receipts.social-graph.agent-runtime',
        'p.receipts.agent-runtime.agent-runtime',
        'p.receipts.topology.agent-runtime',
        'p.receipts.identity.agent-runtime',
      ],
      topology: ['p.receipts.identity.topology', 'p.receipts.agent-runtime.topology'],
    });
  });

  it('lets each service use JetStream only for its own stream and the durable consumers of that stream', () => {
    for (const [name, text] of accountsOf(renderAccounts('p'))) {
      const api = sectionOf(text, 'publish').filter((subject) => subject.startsWith('$JS.'));
      const foreign = api.filter((subject) => !subject.split('.').includes(`p-${name}`));
      expect(foreign).toEqual(name === 'identity' ? [] : ['$JS.API.INFO']);
    }
  });
});

function accountsOf(config: string): (readonly [string, string])[] {
  return [...config.matchAll(/^ {2}([\w-]+) \{\n(.*?)^ {2}\}/gms)].map(
    ([, name = '', text = '']) => [name, text] as const,
  );
}

function sectionOf(account: string, verb: string): string[] {
  const [, section = ''] = new RegExp(`${verb}: \\[(.*?)\\]`, 's').exec(account) ?? [];
  return [...section.matchAll(/"(.+?)"/g)].map(([, subject = '']) => subject);
}
