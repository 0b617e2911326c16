import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Descriptor, DescriptorKind } from './descriptor';
import {
  agentStrategies,
  connectorTargetOf,
  descriptorKinds,
  isForeground,
  keyOf,
  labelOf,
  matchesStrategy,
  parentOf,
  promptOf,
  roleOf,
  type AgentRole,
  type AgentStrategy,
  type ConnectorTarget,
} from './descriptor-kinds';

interface Row {
  readonly descriptor: Descriptor;
  readonly key: string;
  readonly label: string;
  readonly role: AgentRole;
  readonly foreground?: true;
  readonly strategies?: readonly AgentStrategy[];
  readonly target?: ConnectorTarget;
  readonly prompt?: string;
  readonly parent?: string;
}

const target = { connector: 'cli', connectorUserId: 'me', channelId: 'me' };
const rows: Readonly<Record<DescriptorKind, Row>> = {
  user: {
    descriptor: { kind: 'user', ...target },
    key: '/connectors/cli/me/me',
    label: 'cli:me',
    role: 'user',
    foreground: true,
    strategies: ['most-recent-foreground'],
    target,
  },
  subuser: {
    descriptor: { kind: 'subuser', id: 's1', name: 'Helper', systemPrompt: 'Help.' },
    key: '/subuser/s1',
    label: 'Helper',
    role: 'user',
    prompt: 'Help.',
  },
  permanent: {
    descriptor: {
      kind: 'permanent',
      id: 'p1',
      name: 'Editor',
      description: 'Edits',
      systemPrompt: 'Edit.',
    },
    key: '/permanent/p1',
    label: 'Editor',
    role: 'user',
    prompt: 'Edit.',
  },
  app: {
    descriptor: {
      kind: 'app',
      id: 'a1',
      parentAgentId: 'agent1',
      name: 'Notes',
      systemPrompt: 'Note.',
    },
    key: '/app/a1',
    label: 'Notes',
    role: 'user',
    prompt: 'Note.',
    parent: 'agent1',
  },
  subagent: {
    descriptor: { kind: 'subagent', id: 'b1', parentAgentId: 'agent2', name: 'Search' },
    key: '/subagent/b1',
    label: 'Search',
    role: 'subagent',
    parent: 'agent2',
  },
  cron: {
    descriptor: { kind: 'cron', id: 'c1' },
    key: '/cron/c1',
    label: 'cron:c1',
    role: 'cron',
  },
  heartbeat: {
    descriptor: { kind: 'heartbeat', userId: 'u1' },
    key: '/heartbeat/u1',
    label: 'heartbeat',
    role: 'heartbeat',
    strategies: ['heartbeat'],
  },
};

const user = (connector: string, connectorUserId: string, channelId: string): Descriptor => ({
  kind: 'user',
  connector,
  connectorUserId,
  channelId,
});

describe.each(Object.values(rows))('kind $descriptor.kind', (row) => {
  const { descriptor } = row;

  it('an agent has the key, label and role that its kind defines', () => {
    expect(keyOf(descriptor)).toBe(row.key);
    expect(labelOf(descriptor)).toBe(row.label);
    expect(roleOf(descriptor)).toBe(row.role);
  });

  it('whether an agent is in the foreground, and which strategies may select it, depend on its kind', () => {
    expect(isForeground(descriptor.kind)).toBe(row.foreground ?? false);
    const selectedBy = agentStrategies.filter((each) => matchesStrategy(descriptor.kind, each));
    expect(selectedBy).toEqual(row.strategies ?? []);
  });

  it('an agent has the connector target, prompt and parent that its kind defines', () => {
    expect(connectorTargetOf(descriptor)).toEqual(row.target);
    expect(promptOf(descriptor)).toBe(row.prompt ?? '');
    expect(parentOf(descriptor)).toBe(row.parent);
  });
});

describe('descriptorKinds', () => {
  it('the table has exactly the kinds tested here', () => {
    expect(Object.keys(descriptorKinds)).toEqual(Object.keys(rows));
  });
});

describe('labelOf', () => {
  it('the label includes a channel id that differs from the connector’s user id', () => {
    expect(labelOf(user('cli', 'me', 'ops'))).toBe('cli:me#ops');
  });

  it.each(['', '  '])('the label of an agent with the blank name %p is its kind and id', (name) => {
    expect(labelOf({ kind: 'subagent', id: 'b1', parentAgentId: 'a1', name })).toBe('subagent:b1');
  });
});

describe('keyOf', () => {
  it.each([
    [user('cli', 'a/b', 'c'), user('cli', 'a', 'b/c')],
    [user('cli', 'a', '/'), user('cli', 'a/', '')],
    [user('cli', 'a%2Fb', 'c'), user('cli', 'a/b', 'c')],
  ])('gives %j and %j different keys', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('a key can contain any text, including unpaired surrogates', () => {
    expect(keyOf(user('cli', '\ud83e', 'ops'))).toBe('/connectors/cli/\ud83e/ops');
  });

  it('gives two user descriptors the same key if, and only if, all their fields are the same', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '/', '%', '2', 'F', '#'), maxLength: 4 });
    const fields = fc.tuple(part, part, part);
    fc.assert(
      fc.property(fields, fields, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(keyOf(user(...one)) === keyOf(user(...other))).toBe(isSame);
      }),
    );
  });

  it('gives different kinds with the same id different keys', () => {
    const app = { id: 'x1', parentAgentId: 'y1', name: 'N', systemPrompt: '', description: '' };
    const kinds = ['subuser', 'permanent', 'app', 'subagent', 'cron'] as const;
    const keys = kinds.map((kind) => keyOf({ kind, ...app }));
    expect(new Set([...keys, keyOf({ kind: 'heartbeat', userId: 'x1' })]).size).toBe(6);
  });
});
