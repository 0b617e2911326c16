import { createId } from '@daycare/api/create-id';
import { startStack } from '../../support/stack/stack';
import type { Person } from '../../support/people/people';
import { fillExample } from './fill-example';
import { startScriptedModel } from './scripted-model';

const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'] as const;
const lifetimeMs = String(24 * 60 * 60_000);

/**
 * Runs Daycare with the example from docs/console.md until it is stopped, and prints the command that takes the
 * screenshots. Usage: node tools/bundle.mjs e2e/screens && node dist/e2e/screens/main.js
 */
async function main(): Promise<void> {
  let friend = '';
  const model = await startScriptedModel(() => friend);
  const env = {
    DAYCARE_ACCESS_TOKEN_MS: lifetimeMs,
    DAYCARE_OPENAI_URL: model.url,
    DAYCARE_MODEL: 'openai/example',
  };
  const stack = await startStack({ services, ownServers: true, timeoutMs: 60_000, env });
  const stop = (): void =>
    void Promise.all([stack.stop(), model.close()]).then(() => process.exit());
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const ada = await stack.people.newPerson();
  const friends = (await stack.people.newPeople(4)) as [Person, Person, Person, Person];
  friend = friends[0].nametag;
  const { agentId, subuserId } = await fillExample(stack, ada, friends);
  const admin = { metadata: stack.adminMetadata };
  const { code } = await stack.identity.createSignInCode({ userId: ada.id }, admin);
  const token = { name: 'pictures', scopes: ['admin'], subuserId: '', lifetimeMs: 0 };
  const { secret } = await stack.identity.createAccessToken(
    { requestId: createId(), ...token },
    admin,
  );
  const pages = [
    ...['/=inbox', '/agents=conversations', `/agents/${agentId}=conversation`, '/map=map'],
    ...['/friends=friends', `/friends/${friend}=friend`, '/subusers=subusers'],
    ...[`/subusers/${subuserId}=subuser`, '/automation=automation', '/usage=usage'],
    ...['/settings=settings', '/operator=operator'],
  ];
  const link = `http://${stack.addressOf('gateway')}/sign-in?code=${code}`;
  const command = `node tools/client/console-screens.mjs <folder> '${link}' ${pages.join(' ')}`;
  process.stdout.write(`OPERATOR_TOKEN=${secret} ${command}\n`);
}

void main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
