import { z } from 'zod';
import type { RequestPermission } from '../usecases/request-permission';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

/** Has the user decide whether the agent may do something. */
export function makeRequestPermissionTool(deps: {
  readonly requestPermission: RequestPermission;
}): Tool {
  return defineTool({
    name: 'request_permission',
    description:
      'Asks the user to allow you something. Returns at once; you hear later from the system what was ' +
      'decided. A request that nobody decides in time expires, and then you hear nothing.',
    schema: {
      permission: z.string().describe('What you want to be allowed, e.g. network'),
      reason: z.string().describe('Why, for the user to read; up to 1,000 characters'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ permission, reason }, { agent, requestId }) {
      const request = await deps.requestPermission({ agent, requestId, permission, reason });
      const { id: permissionRequestId, state: status, expiresAt } = request;
      return { permissionRequestId, status, expiresAt: expiresAt.toISOString() };
    },
  });
}
