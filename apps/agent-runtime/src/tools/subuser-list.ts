import { summaryOf } from '../domain/list-summary';
import type { ListedSubuser, makeListSubusers } from '../usecases/list-subusers';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

// More would not fit into a result, whatever their names.
const mostSubusers = 100;

export function makeSubuserListTool(deps: {
  readonly listSubusers: ReturnType<typeof makeListSubusers>;
}): Tool {
  return defineTool({
    name: 'subuser_list',
    description:
      'Shows your subusers, one per line: id, name, nametag, gateway agent and whether that is awake.',
    schema: {},
    isVisibleTo: ofOwners,
    authorise: ownersOnly,
    async execute(_, context) {
      const { subusers, count } = await deps.listSubusers(context, mostSubusers);
      return { summary: summaryOf(subusers.map(lineOf), 'You have no subusers', count), count };
    },
  });
}

function lineOf({ id, name, nametag, gateway }: ListedSubuser): string {
  const { agentId = 'none', lifecycle = 'none' } = gateway ?? {};
  const named = `name=${JSON.stringify(name)} nametag=${nametag}`;
  return `${id} ${named} gateway=${agentId} lifecycle=${lifecycle}`;
}
