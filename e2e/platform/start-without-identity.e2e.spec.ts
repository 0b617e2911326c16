import { expect, it } from '@jest/globals';
import { isServing } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({ services: ['identity', 'social-graph'] });
const { people, graph } = stack;
const page = { pageSize: 1, pageToken: '' };

it('a service started while identity is down answers UNAVAILABLE instead of rejecting tokens, until identity is back', async () => {
  const ada = await people.newPerson();
  const [identity, social] = [stack.service('identity'), stack.service('social-graph')];
  const { grpcAddress, httpAddress } = social.current;
  const readyz = async (): Promise<unknown[]> => {
    const response = await fetch(`http://${httpAddress}/readyz`);
    return [response.status, await response.text()];
  };
  await identity.kill();
  await social.kill();
  const restarted = social.restart();
  const serving = await eventually(async () => [await isServing(grpcAddress)]);
  expect(serving).toEqual([false]);
  expect(await readyz()).toEqual([503, 'waiting for signing keys from identity\n']);
  await expect(graph.listFriends(page, ada.as)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await identity.restart();
  await restarted;
  expect(await readyz()).toEqual([200, 'ok\n']);
  await expect(graph.listFriends(page, ada.as)).resolves.toMatchObject({ friends: [] });
});
