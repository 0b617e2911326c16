import { describe, expect, it } from '@jest/globals';
import { AppError, FieldChecks } from '@daycare/api';
import { checkDescriptor } from './check-descriptor';
import type { Descriptor } from './descriptor';

function refusedFields(descriptor: Descriptor, field?: string): string[] {
  const checks = new FieldChecks();
  checkDescriptor(descriptor, checks, field);
  try {
    checks.done();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [...new Set(error.details.fields?.map((each) => each.field))];
  }
}

const user = { kind: 'user', connector: 'cli', connectorUserId: 'me', channelId: 'ops' } as const;
const subuser = { kind: 'subuser', id: 's1', name: 'Helper', systemPrompt: '' } as const;
const permanent = { ...subuser, kind: 'permanent', description: '' } as const;
const app = { ...subuser, kind: 'app', parentAgentId: 'a1' } as const;
const subagent = { kind: 'subagent', id: 'b1', parentAgentId: 'a1', name: '' } as const;
const cron = { kind: 'cron', id: 'c1' } as const;
const heartbeat = { kind: 'heartbeat', userId: 'u1' } as const;
const long = (length: number): string => 'x'.repeat(length);

describe('checkDescriptor', () => {
  it.each<Descriptor>([
    user,
    { ...user, connector: `0${'a_-'.repeat(21)}` },
    { ...user, connectorUserId: long(256), channelId: 'Räume / 7%' },
    subuser,
    { ...subuser, name: long(100), systemPrompt: long(32_768) },
    permanent,
    { ...permanent, description: long(1_000), systemPrompt: 'two\nlines' },
    app,
    subagent,
    { ...subagent, name: long(100) },
    cron,
    heartbeat,
  ])('accepts a valid $kind descriptor', (descriptor) => {
    expect(refusedFields(descriptor)).toEqual([]);
  });

  it.each<readonly [string, Descriptor]>([
    ['user.connector', { ...user, connector: '' }],
    ['user.connector', { ...user, connector: 'CLI' }],
    ['user.connector', { ...user, connector: '-cli' }],
    ['user.connector', { ...user, connector: 'cli\n' }],
    ['user.connector', { ...user, connector: long(65) }],
    ['user.connector_user_id', { ...user, connectorUserId: '' }],
    ['user.connector_user_id', { ...user, connectorUserId: 'a\nb' }],
    ['user.connector_user_id', { ...user, connectorUserId: long(257) }],
    ['user.channel_id', { ...user, channelId: ' ' }],
    ['user.channel_id', { ...user, channelId: '\ud83e' }],
    ['user.channel_id', { ...user, channelId: long(257) }],
    ['subuser.id', { ...subuser, id: '' }],
    ['subuser.name', { ...subuser, name: '' }],
    ['subuser.system_prompt', { ...subuser, systemPrompt: long(32_769) }],
    ['permanent.id', { ...permanent, id: 'A/B' }],
    ['permanent.name', { ...permanent, name: long(101) }],
    ['permanent.description', { ...permanent, description: long(1_001) }],
    ['permanent.system_prompt', { ...permanent, systemPrompt: 'nul\u0000' }],
    ['app.id', { ...app, id: '' }],
    ['app.parent_agent_id', { ...app, parentAgentId: '' }],
    ['app.name', { ...app, name: '' }],
    ['app.system_prompt', { ...app, systemPrompt: long(32_769) }],
    ['subagent.id', { ...subagent, id: '$ne' }],
    ['subagent.parent_agent_id', { ...subagent, parentAgentId: '' }],
    ['subagent.name', { ...subagent, name: long(101) }],
    ['cron.id', { ...cron, id: '' }],
    ['heartbeat.user_id', { ...heartbeat, userId: '' }],
  ])('rejects an invalid %s', (field, descriptor) => {
    expect(refusedFields(descriptor)).toEqual([`descriptor.${field}`]);
  });

  it('reports all invalid fields in one error, with their path in the request', () => {
    const descriptor = { ...user, connector: '', connectorUserId: '', channelId: '' };
    expect(refusedFields(descriptor, 'agent')).toEqual([
      'agent.connector',
      'agent.connector_user_id',
      'agent.channel_id',
    ]);
  });
});
