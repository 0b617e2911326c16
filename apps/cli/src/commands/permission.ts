import { PermissionDecision, PermissionState } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/pages';
import { exitCodes } from '../failure/exit-codes';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { toTime, toWord } from '../output/words';
import { defineCommand, type AnyCommand } from './command';
import { limitOption, type ForAgent, type Limited } from './options';

const states = ['pending', 'granted', 'denied', 'expired'] as const;
const decisions = { grant: PermissionDecision.GRANT, deny: PermissionDecision.DENY };

const list = defineCommand<Limited & ForAgent & { state?: (typeof states)[number] }>({
  name: 'list',
  description: 'what your agents and those of your subusers asked to be allowed, newest first',
  options: [
    limitOption,
    ['--agent <id>', 'only what this agent asked'],
    ['--state <state>', 'only requests in this state', { choices: states }],
  ],
  examples: ['permission list', 'permission list --state pending -o json'],
  async run({ session, options: { limit, agent = '', state } }) {
    const { runtime } = await session();
    const wanted = state && PermissionState[state.toUpperCase() as keyof typeof PermissionState];
    const filter = { agentId: agent, states: wanted ? [wanted] : [] };
    const requests = await collect(limit, async (page) => {
      const answer = await runtime.listPermissionRequests({ ...page, ...filter });
      return { items: answer.permissionRequests, nextPageToken: answer.nextPageToken };
    });
    return tableView(
      requests,
      [
        ['ID', ({ id }) => id],
        ['STATE', (request) => toWord('PERMISSION_STATE', request.state)],
        ['PERMISSION', ({ permission }) => permission],
        ['AGENT', ({ agentLabel }) => agentLabel],
        ['EXPIRES', ({ expiresAt }) => toTime(expiresAt)],
        ['REASON', ({ reason }) => reason],
      ],
      'Nothing has been asked for.',
    );
  },
});

const decide = defineCommand({
  name: 'decide',
  description: 'grant or deny a request; the agent that asked hears of it',
  args: [
    ['<id>', 'as "daycare permission list" shows it'],
    ['<decision>', 'grant or deny'],
  ],
  examples: ['permission decide clx3k2… grant', 'permission decide clx3k2… deny'],
  hints: {
    NOT_FOUND: 'See "daycare permission list" for the ids.',
    INVALID_ARGUMENT: 'The decision is "grant" or "deny".',
  },
  async run({ session, args: [permissionRequestId = '', word = ''] }) {
    const { runtime, requestIds } = await session();
    const decision = Object.entries(decisions).find(([name]) => name === word)?.[1];
    const { permissionRequest: request } = await runtime.decidePermission({
      requestId: requestIds.next(),
      permissionRequestId,
      decision: decision ?? PermissionDecision.UNSPECIFIED,
    });
    const state = toWord('PERMISSION_STATE', request?.state ?? '');
    const view = textView(`Request ${permissionRequestId} is ${state}`, request);
    const tooLate = request?.state === PermissionState.EXPIRED;
    return tooLate ? { ...view, exitCode: exitCodes.conflict } : view;
  },
});

export const permissionCommands: readonly AnyCommand[] = [list, decide];
