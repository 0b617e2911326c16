import { resume } from '@daycare/client';
import { Trust } from '@daycare/contracts/common';
import {
  PermissionDecision,
  PermissionState,
  type Grant,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { collect } from '../../client/rpc/pages';
import type { Session } from '../../client/session';
import { starterText } from '../../chat/permission-wording';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { safeLine } from '../../output/safe-text';
import { shortId } from '../../output/short-id';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toWord, toYesNo } from '../../output/words';
import { notifyDisconnected } from '../../terminal/notify-disconnected';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, onlyAgent, parseCount, type ForAgent, type Limited } from '../kit/options';

const states = ['pending', 'granted', 'denied', 'expired'] as const;
const decisions = ['grant', 'always', 'deny'] as const;
const hourMs = 60 * 60 * 1000;

const list = defineCommand<Limited & ForAgent & { state?: (typeof states)[number] }>({
  name: 'list',
  description: "list permission requests from your own and your subusers' agents, newest first",
  options: [
    limitOption,
    onlyAgent('list only requests from this agent'),
    ['--state <state>', 'list only requests in this state', { choices: states }],
  ],
  examples: ['permission list', 'permission list --state pending -o json'],
  async run({ session, options: { limit, agent = '', state } }) {
    const { runtime } = await session();
    const stateFilter = state && enumOf(PermissionState, state);
    const filter = { agentId: agent, states: stateFilter ? [stateFilter] : [] };
    const requests = await collect(limit, async (page) => {
      const response = await runtime.listPermissionRequests({ ...page, ...filter });
      return { items: response.permissionRequests, nextPageToken: response.nextPageToken };
    });
    return tableView(
      requests,
      [
        ['ID', ({ id }) => id, 'id'],
        ['STATE', (request) => toWord(PermissionState, request.state)],
        ['PERMISSION', ({ permission }) => permission, 'long'],
        ['AGENT', ({ agentLabel }) => agentLabel, 'long'],
        ['EXPIRES', ({ expiresAt }) => expiresAt],
        ['REASON OR CALL', describe, 'long'],
      ],
      'No permission requests.',
    );
  },
});

const decide = defineCommand<{ hours?: number }>({
  name: 'decide',
  description: 'grant or deny a permission request; an approved call runs exactly as listed',
  args: [
    ['<id>', 'id from "daycare permission list"', { kind: 'permission' }],
    [
      '<decision>',
      "grant (allow the call once or, if the request is not for a call, grant the permission), always (also allow this agent's later calls to the same tool, in turns with at least the same trust) or deny; a grant lasts until you revoke it or, with --hours, until that many hours have passed",
    ],
  ],
  options: [['--hours <count>', 'end the grant after this many hours', { parse: parseCount }]],
  examples: [
    'permission decide clx3k2… grant',
    'permission decide clx3k2… always --hours 8',
    'permission decide clx3k2… deny',
  ],
  hints: {
    NOT_FOUND: 'Run "daycare permission list" to see the requests.',
    INVALID_ARGUMENT:
      'The decision must be "grant", "always" or "deny"; --hours cannot be used with "deny", nor with "grant" if the request is for a tool call, because that allows the call only once.',
  },
  async run({ session, args: [permissionRequestId = '', word = ''], options: { hours } }) {
    const { runtime, requestIds } = await session();
    const decision = decisions.find((each) => each === word);
    const { permissionRequest: request } = await runtime.decidePermission({
      requestId: requestIds.next(),
      permissionRequestId,
      decision: decision ? enumOf(PermissionDecision, decision) : PermissionDecision.UNSPECIFIED,
      ...(hours === undefined ? {} : { grantExpiresAt: new Date(Date.now() + hours * hourMs) }),
    });
    const state = toWord(PermissionState, request?.state);
    if (state !== (word === 'deny' ? 'denied' : 'granted')) throw alreadyDecided(state);
    return textView(`Request ${permissionRequestId} is ${state}.`, request);
  },
});

/** Returns the failure for a request that has already been decided or has expired. */
function alreadyDecided(state: string): Failure {
  return new Failure(
    exitCodes.conflict,
    `This request is already ${state}; your decision changes nothing.`,
    state === 'granted'
      ? 'If the earlier decision created a grant, find the grant with "daycare permission grants" and revoke it with "daycare permission revoke <id>"; a call that was allowed once cannot be revoked.'
      : 'The agent has to ask again.',
  );
}

const grants = defineCommand<Limited & ForAgent>({
  name: 'grants',
  description: 'list what you have granted to agents, newest first',
  options: [limitOption, onlyAgent('list only grants to this agent')],
  examples: ['permission grants', 'permission grants --agent clx3k2… -o json'],
  async run({ session, options: { limit, agent = '' } }) {
    const { runtime } = await session();
    const found = await collect(limit, async (page) => {
      const response = await runtime.listGrants({ ...page, agentId: agent });
      return { items: response.grants, nextPageToken: response.nextPageToken };
    });
    return tableView(
      found,
      [
        ['ID', ({ id }) => id, 'id'],
        ['FOR', ({ subject }) => (subject ? subjectText(subject) : ''), 'long'],
        ['AGENT', ({ agentLabel }) => agentLabel, 'long'],
        ['MIN TRUST', ({ trust }) => toWord(Trust, trust)],
        ['PRIVATE', ({ coversPrivate }) => toYesNo(coversPrivate)],
        ['AGE', ({ createdAt }) => createdAt],
        ['EXPIRES', ({ expiresAt }) => expiresAt ?? 'never'],
      ],
      'No grants.',
    );
  },
});

const revoke = defineCommand({
  name: 'revoke',
  description:
    'revoke a grant and any other that the agent has for the same permission or tool; the agent has to ask again',
  args: [['<id>', 'id from "daycare permission grants"', { kind: 'grant' }]],
  examples: ['permission revoke clx3k2…'],
  hints: { NOT_FOUND: 'Run "daycare permission grants" to see the grants.' },
  async run({ session, args: [grantId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.revokeGrant({ requestId: requestIds.next(), grantId });
    return textView(`Revoked ${grantId}.`, { grantId });
  },
});

/** Describes a request: the call's arguments and who started its turn or, without a call, the reason. */
function describe({ call, startedBy, reason }: PermissionRequest): string {
  if (!call) return reason;
  const starter = startedBy ? ` (started by ${starterText(startedBy)})` : '';
  return `${call.argumentsJson}${starter}`;
}

function subjectText({ $case, value }: NonNullable<Grant['subject']>): string {
  return $case === 'toolName' ? `tool ${value}` : value;
}

const watch = defineCommand<Limited>({
  name: 'watch',
  description:
    'show pending permission requests, then each new request and each change of state; reconnects if the connection is lost',
  options: [
    [
      '--limit <count>',
      'stop after this many lines; requests that are already pending count too',
      { parse: parseCount },
    ],
  ],
  examples: ['permission watch', 'permission watch -o json'],
  run: async ({ session, options }) => watchRequests(await session(), options.limit ?? Infinity),
});

async function* watchRequests({ runtime }: Session, limit: number): AsyncGenerator<View> {
  let seen = 0;
  const open = () => runtime.watchPermissionRequests({});
  for await (const { event } of resume(open, { onDisconnect: notifyDisconnected })) {
    if (event?.$case !== 'permissionRequest') continue;
    yield { data: event.value, render: () => requestLine(event.value) };
    seen += 1;
    if (seen >= limit) return;
  }
}

function requestLine(request: PermissionRequest): string {
  const { id, state, permission, agentLabel } = request;
  const words = [shortId(id), toWord(PermissionState, state), permission, agentLabel];
  return safeLine(`${words.join('  ')}  ${describe(request)}`);
}

export const permissionCommands: readonly AnyCommand[] = [list, decide, watch, grants, revoke];
