import { AppError } from '@daycare/api';
import { createId } from '@daycare/api/create-id';
import { PermissionDecision, PermissionState } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Person } from '../people/people';
import { untilAnswered } from '../stack/until-answered';
import { historiesOf, meetAda, type AgentChange, type Histories } from './agent-changes';
import type { TrappedRuntime } from './trapped-runtime';

const desk = 'cli:me#desk';
const path = 'home/cake.txt';
const args = { content: 'Flour and eggs', path };

/** A subuser's gateway asks to write a file, which the subuser's owner must approve. */
export const approvedCall: AgentChange = {
  title:
    'an approved call runs once, with the arguments that were shown for approval, and adds one grant',
  writes: [
    ...['findAndModify permissions', 'update grants', 'insert inbox', 'update permissions'],
    ...['insert history', 'findAndModify tool_calls', 'update tool_calls', 'insert history (2)'],
  ],
  coveredElsewhere: [
    ...['insert inbox (2)', 'update inbox', 'update inbox (2)', 'update inbox (3)'],
    ...['insert history (3)', 'insert history (4)', 'insert history (5)'],
  ],
  async prepare(worker) {
    const { ada, agents } = await meetAda(worker, ['desk']);
    const { stack, settled } = worker;
    const cook = await stack.agents.callTool({ id: agents[0]!.id, as: ada.as }, 'subuser_create', {
      name: 'Cook',
      systemPrompt: 'You bake.',
      toolPolicy: { rules: { file_write: { own: 'ask' } } },
    });
    const [subuserId, agentId] = [cook['subuserId']!, cook['gatewayAgentId']!];
    const text = `/file_write ${JSON.stringify(args)}`;
    await stack.runtime.sendAgentMessage({ requestId: createId(), agentId, text }, agents[0]!.as);
    const permissionRequestId = await pendingRequestId(worker, ada);
    await settled();
    const readState = () => stateOf(worker, ada, { subuserId, agentId });
    const before = await readState();
    const decision = PermissionDecision.ALWAYS;
    return {
      call: (requestId) =>
        stack.runtime.decidePermission({ requestId, permissionRequestId, decision }, ada.as),
      histories: readState,
      outcome: {
        ...before,
        [desk]: [...before[desk]!, 'system (silent): decided'],
        Cook: [
          ...before['Cook']!,
          'system: approved',
          'agent: ',
          'toolResult',
          'agent: file_write',
        ],
        file: [args.content],
        grants: ['file_write'],
        calls: ['1'],
      },
    };
  },
};

async function pendingRequestId({ stack }: TrappedRuntime, ada: Person): Promise<string> {
  const states = [PermissionState.PENDING];
  const all = { pageSize: 0, pageToken: '', states, agentId: '' };
  return eventually(async () => {
    const { permissionRequests } = await stack.runtime.listPermissionRequests(all, ada.as);
    return permissionRequests[0]?.id;
  });
}

/** Returns the histories, the file, the grants and the number of recorded tool calls. */
async function stateOf(
  { stack }: TrappedRuntime,
  ada: Person,
  { subuserId, agentId }: { readonly subuserId: string; readonly agentId: string },
): Promise<Histories> {
  const { runtime } = stack;
  const all = { pageSize: 0, pageToken: '', agentId };
  const { grants } = await untilAnswered(() => runtime.listGrants(all, ada.as));
  const calls = await stack
    .db('agent-runtime')
    .collection('tool_calls')
    .countDocuments({ userId: subuserId });
  const histories = {
    ...(await historiesOf(runtime, ada)),
    ...(await historiesOf(runtime, ada, subuserId)),
  };
  return {
    ...withoutVaryingParts(histories),
    file: await contentOf(stack, subuserId, agentId),
    grants: grants.map(({ subject }) => subject?.value ?? ''),
    calls: [`${calls}`],
  };
}

/** Returns the file's content as the gateway reads it, as the only element; no element if there is no file. */
async function contentOf(
  { people, agents }: TrappedRuntime['stack'],
  subuserId: string,
  id: string,
): Promise<string[]> {
  const as = await people.signIn(subuserId, id);
  const read = () => agents.callTool({ id, as }, 'file_read', { path });
  return untilAnswered(read).then(
    ({ text }) => [text ?? ''],
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return [];
      throw error;
    },
  );
}

/** Removes the parts that differ between runs. */
function withoutVaryingParts(histories: Histories): Histories {
  const short = (line: string): string =>
    line
      .replace(/^system: The user approved.*/, 'system: approved')
      .replace(/^system \(silent\): The user granted.*/, 'system (silent): decided')
      .replace(/^(agent: file_write): .*/s, '$1');
  return Object.fromEntries(
    Object.entries(histories).map(([label, lines]) => [label, lines.map(short)]),
  );
}
