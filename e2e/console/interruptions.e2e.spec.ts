import { afterAll, expect, it } from '@jest/globals';
import { eventually, type ModelServer } from '@daycare/testing';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import { ConsoleWindow } from '../support/console/console-window';
import { readRows } from '../support/console/read-rows';
import { envOfModel, startHangingModel } from '../support/people/hanging-model';
import { historyOf, post, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { silentGateway } from '../support/stack/silent-gateway';
import { useStack } from '../support/stack/use-stack';

const longPoll = { timeoutMs: 60_000 };
const stormSize = 20;

describeInBrowser('an interrupted conversation', () => {
  let model: ModelServer;
  const stack = useStack(async () => {
    model = await startHangingModel();
    return {
      services: ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'],
      env: envOfModel(model),
      ownServers: true,
    };
  });
  afterAll(() => model.close());
  const browser = useBrowser();

  const open = async (person: Person, path: string): Promise<ConsoleWindow> => {
    const window = await ConsoleWindow.open(browser.current, stack, person);
    await window.page.goto(`${window.url}${path}`);
    return window;
  };
  const linesOf = async (person: Person, agentId: string): Promise<string[]> =>
    (await historyOf(stack.runtime, person, agentId)).map(summaryOf);

  /** Posts `stormSize` messages, numbered from `first` on, one by one; retries each until it is stored. */
  async function storm({ as }: Person, first: number): Promise<void> {
    for (let number = first; number < first + stormSize; number += 1) {
      const request = post(`message ${number}`, 'desk', `storm-${number}`);
      await eventually(() => stack.runtime.postMessage(request, as).catch(() => false), longPoll);
    }
  }

  it('a conversation shows every record once and in order, even if services are killed while records arrive', async () => {
    const ada = await stack.people.newPerson();
    const { id: agentId } = await stack.agents.foreground(ada);
    const { page, problems, context } = await open(ada, `/agents/${agentId}`);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const victims = [stack.service('gateway'), stack.service('agent-runtime'), stack.nats!];
    for (const [index, victim] of victims.entries()) {
      const sending = storm(ada, index * stormSize);
      await victim.kill();
      await victim.restart();
      await sending;
    }
    const history = await eventually(async () => {
      const records = await historyOf(stack.runtime, ada, agentId);
      const isAnswered = records.at(-1)?.record?.$case === 'assistantMessage';
      return isAnswered && JSON.stringify(records).includes('message 59') && records;
    }, longPoll);
    const sequences = history.map(({ sequence }) => sequence);
    await eventually(async () => (await readRows(page)).at(-1) === sequences.at(-1), longPoll);
    expect(await readRows(page)).toEqual(sequences);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a conversation keeps the scroll position of a person who scrolls up right after jumping to the latest message', async () => {
    const ada = await stack.people.newPerson();
    const { id: agentId } = await stack.agents.foreground(ada);
    await storm(ada, 0);
    const { page, context } = await open(ada, `/agents/${agentId}`);
    const pane = page.getByRole('log', { name: 'Messages' });
    const jumpToLatest = page.getByRole('button', { name: 'Jump to latest' });
    const distanceFromEnd = (): Promise<number> =>
      pane.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight);
    await pane
      .getByText(`message ${stormSize - 1}`)
      .last()
      .waitFor();
    await pane.hover();
    await page.mouse.wheel(0, -1_500);
    await jumpToLatest.click();
    await jumpToLatest.waitFor({ state: 'detached' });
    await eventually(async () => (await distanceFromEnd()) < 1);
    // Scrolls up while messages arrive, each of which could pull the list back to its end.
    const newestKey = (): Promise<number> =>
      page
        .locator('[data-key]')
        .last()
        .evaluate((row) => Number(row.dataset['key']));
    const newestBefore = await newestKey();
    const sending = storm(ada, stormSize);
    await eventually(async () => (await newestKey()) > newestBefore, longPoll);
    await pane.hover();
    for (let step = 0; step < 8; step += 1) await page.mouse.wheel(0, -100);
    await jumpToLatest.waitFor();
    await sending;
    const before = await distanceFromEnd();
    await storm(ada, 2 * stormSize);
    const last = (await historyOf(stack.runtime, ada, agentId)).at(-1)?.sequence ?? 0;
    // New messages are below, and the list does not scroll to them.
    await eventually(async () => (await distanceFromEnd()) > before + 500, longPoll);
    expect(await page.locator(`[data-key="${last}"]`).count()).toBe(0);
    await jumpToLatest.click();
    await page.locator(`[data-key="${last}"]`).waitFor();
    await eventually(async () => (await distanceFromEnd()) < 1);
    await context.close();
  });

  it('a person can scroll up slowly while the conversation grows in every frame', async () => {
    const ada = await stack.people.newPerson();
    const { id: agentId } = await stack.agents.foreground(ada);
    await storm(ada, 0);
    const { page, context } = await open(ada, `/agents/${agentId}`);
    const pane = page.getByRole('log', { name: 'Messages' });
    await pane
      .getByText(`message ${stormSize - 1}`)
      .last()
      .waitFor();
    const distanceFromEnd = (): Promise<number> =>
      pane.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight);
    await eventually(async () => (await distanceFromEnd()) < 1);
    await page.evaluate(`(() => {
      const content = document.querySelector('[role="log"]').firstElementChild;
      let height = content.offsetHeight;
      const grow = () => {
        height += 1;
        content.style.height = \`\${height}px\`;
        requestAnimationFrame(grow);
      };
      grow();
    })()`);
    await pane.hover();
    // Small steps, as from a touchpad: after each step, the list is so near its end that it could be pulled back.
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -3);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    const before = await distanceFromEnd();
    await eventually(async () => (await distanceFromEnd()) > before + 20);
    await context.close();
  });

  it('a person can stop a turn, and interrupt another one with a new instruction', async () => {
    const ada = await stack.people.newPerson();
    const { id: agentId } = await stack.agents.foreground(ada);
    const window = await open(ada, `/agents/${agentId}`);
    await window.say('please hang');
    await window.press(window.page.getByRole('button', { name: 'Stop' }));
    await window.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await window.say('hang again');
    await window.page.getByRole('button', { name: 'Interrupt' }).waitFor();
    await window.focus(window.page.getByRole('textbox', { name: 'Message' }));
    await window.page.keyboard.insertText('do this instead');
    await window.press(window.page.getByRole('button', { name: 'Interrupt' }));
    await window.page.getByRole('article', { name: 'You' }).getByText('do this instead').waitFor();
    await eventually(async () => (await linesOf(ada, agentId)).at(-1) === 'agent: Done.', longPoll);
    const lines = (await linesOf(ada, agentId)).slice(-5);
    expect(lines.filter((line) => line.startsWith('person: '))).toEqual([
      ...['person: hang again', 'person: do this instead'],
    ]);
    await window.close();
  });

  it('a person can retry a dead letter, which then reaches its agent', async () => {
    const [ada, bob] = await stack.people.newFriends();
    const helper = await stack.people.newSubuser(ada);
    const gateway = await silentGateway(stack, helper);
    await stack.people.share(ada, bob, helper);
    await stack.people.acceptShare(bob, helper);
    await stack.people.message(bob, helper, 'Is anyone there?');
    const { page, context } = await open(ada, '/');
    await page.getByText('Is anyone there?').waitFor({ timeout: longPoll.timeoutMs });
    await gateway.wake();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByText('Nothing is waiting for you').waitFor();
    await eventually(async () =>
      (await linesOf(ada, gateway.id)).includes(`friend:${bob.nametag}: Is anyone there?`),
    );
    await context.close();
  });
});
