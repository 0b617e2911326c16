import { z } from 'zod';
import { trustLevels } from '@daycare/api';
import { type ToolPolicy, verdicts } from '../../agents';
import { summaryOf } from '../../shared/text/list-summary';
import type { ListedSubuser, SubuserUsecases } from '../../subusers';
import { labelled, labelOfNames } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { requireTopLevel, topLevelOnly } from '../registry/tool-access';

export interface SubuserToolsDeps {
  readonly subusers: SubuserUsecases;
  /** Throws unless the owner may set this policy. */
  readonly checkSubuserPolicy: (policy: ToolPolicy) => void;
}

// A tool result cannot hold more lines than this, however short the names are.
const maxSubusers = 100;

const access = { isVisibleTo: topLevelOnly, authorise: requireTopLevel };
const subuserId = z.string().describe('The id of the subuser, as shown by subuser_list');

const toolPolicy = z
  .strictObject({
    isPrivate: z
      .boolean()
      .optional()
      .describe('True to hide its memory and files from guests unless your user approves'),
    rules: z
      .record(z.string(), z.partialRecord(z.enum(trustLevels), z.enum(verdicts)))
      .optional()
      .describe(
        'By tool and by the trust of the turn: run, ask (your user approves each call) or refuse',
      ),
  })
  .optional()
  .describe(
    'Which tool calls run, need approval or are refused, where that differs from the defaults; replaces the current policy. ' +
      'Example: {"rules": {"cron_add": {"guest": "refuse"}, "file_write": {"guest": "run"}}}',
  );

export function subuserTools({ subusers, checkSubuserPolicy }: SubuserToolsDeps): Tool[] {
  return [
    createTool(subusers, checkSubuserPolicy),
    configureTool(subusers, checkSubuserPolicy),
    renameTool(subusers),
    deleteTool(subusers),
    listTool(subusers),
  ];
}

type CheckPolicy = SubuserToolsDeps['checkSubuserPolicy'];

function createTool({ createSubuser }: SubuserUsecases, check: CheckPolicy): Tool {
  return defineTool({
    name: 'subuser_create',
    description:
      'Creates a subuser: a separate application with its own agents, memory and files, isolated from yours. ' +
      'Use it for work that should not see the rest of your user’s data, or that friends should be able to ' +
      'use. Returns subuserId, nametag and gatewayAgentId; to talk to the subuser, send that agent messages with ' +
      'send_agent_message.',
    schema: {
      name: z.string().describe('A display name, up to 100 characters'),
      systemPrompt: z
        .string()
        .describe('Instructions for the gateway agent; friends never see them'),
      description: z
        .string()
        .optional()
        .describe('One line that friends see when the subuser is offered to them'),
      toolPolicy,
    },
    ...access,
    async execute({ name, systemPrompt, description = '', toolPolicy: policyArgument }, context) {
      const policy = readPolicy(policyArgument, check);
      return createSubuser(context, { name, systemPrompt, description, toolPolicy: policy });
    },
  });
}

function configureTool({ configureSubuser }: SubuserUsecases, check: CheckPolicy): Tool {
  return defineTool({
    name: 'subuser_configure',
    description:
      'Replaces the system prompt of a subuser’s gateway agent (from its next turn on), the tool policy of all the ' +
      'subuser’s agents (from their next call on), or both. Returns the subuserId and gatewayAgentId.',
    schema: {
      subuserId,
      systemPrompt: z
        .string()
        .optional()
        .describe('The complete new system prompt; omit it to keep the current one'),
      toolPolicy,
    },
    ...access,
    async execute({ toolPolicy: policyArgument, ...request }, context) {
      const policy = readPolicy(policyArgument, check);
      return configureSubuser(context, { ...request, toolPolicy: policy });
    },
  });
}

function readPolicy(
  policyArgument: z.output<typeof toolPolicy>,
  check: CheckPolicy,
): ToolPolicy | undefined {
  if (!policyArgument) return undefined;
  const { rules = {}, isPrivate } = policyArgument;
  const policy = { rules, ...(isPrivate === undefined ? {} : { isPrivate }) };
  check(policy);
  return policy;
}

function renameTool({ renameSubuser }: SubuserUsecases): Tool {
  return defineTool({
    name: 'subuser_rename',
    description:
      'Changes the display name of one of your subusers. Its nametag stays the same. Returns the name and nametag.',
    schema: {
      subuserId,
      name: z.string().describe('The new display name, up to 100 characters'),
    },
    ...access,
    async execute(request, context) {
      const { id, name, nametag } = await renameSubuser(context, request);
      const summary = `Renamed ${nametag} to ${JSON.stringify(name)}`;
      return { summary, subuserId: id, name, nametag };
    },
  });
}

function deleteTool({ deleteSubuser }: SubuserUsecases): Tool {
  return defineTool({
    name: 'subuser_delete',
    description:
      'Permanently deletes one of your subusers with its agents, memory, files and schedules, and notifies the ' +
      'friends it is shared with. Ask the user before calling this. Returns a confirmation.',
    schema: { subuserId },
    ...access,
    async execute({ subuserId: id }, context) {
      await deleteSubuser(context, id);
      return { summary: 'Deleted the subuser and all its data', subuserId: id };
    },
  });
}

function listTool({ listSubusers }: SubuserUsecases): Tool {
  return defineTool({
    name: 'subuser_list',
    description:
      'Lists your subusers, one per line: id, name, nametag, gateway agent and the lifecycle state of that ' +
      'agent.',
    schema: {},
    ...access,
    async execute(_, context) {
      const { subusers, count } = await listSubusers(context, maxSubusers);
      const summary = summaryOf(subusers.map(lineOf), 'You have no subusers', count);
      return labelled({ summary, count }, labelOfNames(subusers));
    },
  });
}

function lineOf({ id, name, nametag, gateway }: ListedSubuser): string {
  const { agentId = 'none', lifecycle = 'none' } = gateway ?? {};
  const names = `name=${JSON.stringify(name)} nametag=${nametag}`;
  return `${id} ${names} gateway=${agentId} lifecycle=${lifecycle}`;
}
