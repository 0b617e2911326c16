import { fitCharacters } from '../domain/fit-characters';
import type { ListedSubuser, makeListSubusers } from '../usecases/list-subusers';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

// More would not fit into a result, whatever their names.
const mostSubusers = 100;
const mostCharacters = 7_000;

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
      return { summary: summaryOf(subusers.map(lineOf), count), count };
    },
  });
}

function lineOf({ id, name, nametag, gateway }: ListedSubuser): string {
  const { agentId = 'none', lifecycle = 'none' } = gateway ?? {};
  const named = `name=${JSON.stringify(name)} nametag=${nametag}`;
  return `${id} ${named} gateway=${agentId} lifecycle=${lifecycle}`;
}

function summaryOf(lines: readonly string[], count: number): string {
  if (count === 0) return 'You have no subusers';
  const shown = fitCharacters(lines, mostCharacters);
  const leftOut = count - shown.length;
  return [...shown, ...(leftOut > 0 ? [`… and ${leftOut} more`] : [])].join('\n');
}
