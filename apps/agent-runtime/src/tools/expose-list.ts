import type { Endpoints } from '../rpc/endpoints-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeExposeListTool({ endpoints }: { readonly endpoints: Endpoints }): Tool {
  return defineTool({
    name: 'expose_list',
    description:
      'Lists the endpoints of your user with their URLs, oldest first, without passwords.',
    schema: {},
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    execute: (_, context) => endpoints.list(context),
  });
}
