import { z } from 'zod';
import {
  endpointAuths,
  endpointModes,
  type ChangedEndpoint,
  type Endpoints,
} from '../ports/endpoints';
import { labelled, labelOfNames } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { delegated, everyone } from '../registry/tool-access';

export interface EndpointToolsDeps {
  readonly endpoints: Endpoints;
}

const access = { isVisibleTo: everyone, authorise: delegated };
const endpointId = z.string().describe('The id of the endpoint, as shown by expose_list');
const target = z
  .string()
  .describe('port:<number>, unix:<path in the home folder> or agent:<id>; e.g. port:8080');
const mode = z
  .enum(endpointModes)
  .describe('public, or local_network to allow only the operator’s own networks');

const secret = z
  .string()
  .optional()
  .describe(
    'The secret with which requests to the webhook are signed, e.g. Stripe’s whsec_…; 16 to 256 characters',
  );

export function endpointTools({ endpoints }: EndpointToolsDeps): Tool[] {
  return [createTool(endpoints), updateTool(endpoints), removeTool(endpoints), listTool(endpoints)];
}

function createTool(endpoints: Endpoints): Tool {
  return defineTool({
    name: 'expose_create',
    keepsOwnRecord: true,
    description:
      'Makes one of your user’s programs or agents reachable over HTTP. The target is a local port, a Unix socket in ' +
      'the home folder, or an agent. With an agent, the endpoint is a webhook: the agent receives whatever is posted ' +
      'to the URL, and auth must not be none. With auth password, a password is generated and returned once. With ' +
      'github, stripe or slack, posts to a webhook must be signed the way that service signs them; without a secret, ' +
      'one is generated and returned once. Returns the endpoint with its id and URL. Example: {"name": "Site", ' +
      '"target": "port:8080", "mode": "public", "auth": "password"}.',
    schema: {
      name: z.string().describe('A display name, up to 100 characters'),
      target,
      mode,
      auth: z.enum(endpointAuths).optional().describe('Defaults to none'),
      secret,
    },
    ...access,
    async execute(spec, context) {
      const created = await endpoints.create(context, spec);
      // A retry finds the endpoint, but only the first call returned its password or secret.
      const isGenerated = created.endpoint.auth !== 'none' && spec.secret === undefined;
      const isLost = isGenerated && created.password === '' && created.secret === '';
      const what = created.endpoint.auth === 'password' ? 'password' : 'secret';
      const hint = `; its ${what} was returned before and cannot be shown again, so generate a new one with expose_update`;
      return resultOf(`Endpoint ${spec.name} created${isLost ? hint : ''}`, created);
    },
  });
}

function updateTool(endpoints: Endpoints): Tool {
  return defineTool({
    name: 'expose_update',
    keepsOwnRecord: true,
    description:
      'Changes an endpoint, or replaces its password or secret, without changing its URL. Omitted fields keep their ' +
      'values. Open connections are closed. Returns the endpoint with any new password or secret.',
    schema: {
      endpointId,
      name: z.string().optional(),
      target: target.optional(),
      mode: mode.optional(),
      auth: z
        .enum(endpointAuths)
        .optional()
        .describe(
          'Changing it generates a new password or, unless you give one, a new secret; it is returned once',
        ),
      secret,
      rotatePassword: z
        .boolean()
        .optional()
        .describe('True to generate a new password or secret; the old one stops working'),
    },
    ...access,
    async execute({ endpointId: id, rotatePassword = false, ...spec }, context) {
      const updated = await endpoints.update(context, id, { ...spec, rotatePassword });
      return resultOf(`Endpoint ${updated.endpoint.name} updated`, updated);
    },
  });
}

function removeTool(endpoints: Endpoints): Tool {
  return defineTool({
    name: 'expose_remove',
    description:
      'Permanently removes one of your user’s endpoints: its URL stops working immediately, and open connections are ' +
      'closed. Returns the endpointId.',
    schema: { endpointId },
    ...access,
    async execute({ endpointId: id }, context) {
      await endpoints.remove(context, id);
      return { summary: 'Endpoint removed', endpointId: id };
    },
  });
}

function listTool(endpoints: Endpoints): Tool {
  return defineTool({
    name: 'expose_list',
    description:
      'Lists your user’s endpoints with their ids, targets and URLs, oldest first, and their total count. Passwords ' +
      'and secrets are not shown.',
    schema: {},
    ...access,
    async execute(_, context) {
      const list = await endpoints.list(context);
      return labelled(list, labelOfNames(list.endpoints));
    },
  });
}

function resultOf(summary: string, { endpoint, password, secret: generated }: ChangedEndpoint) {
  const [what, value] = password === '' ? ['secret', generated] : ['password', password];
  if (value === '') return { summary, ...endpoint };
  const note = `The ${what} cannot be shown again, so give it to your user now`;
  return { summary, ...endpoint, [what]: value, note };
}
