import type { Browser } from 'playwright-core';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleWindow } from '../../console/console-window';
import { post } from '../../people/history';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { heapGrowthOf } from '../contexts/memory-growth';
import { accountSize, fillAccount, textOf } from './fill-account';
import { Interactions, type Measurements, type CpuTimes } from './interactions';
import { PageGauge, type PageReading } from './page-gauge';
import { lowerStackPriority } from '../precedence';

export interface ConsoleOptions {
  readonly stack: Stack;
  readonly browser: Browser;
  readonly seconds: number;
  /** Whether the browser has precedence over the services, as if on its own machine. */
  readonly precedence: boolean;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

export interface ConsoleFigures {
  readonly measurements: Measurements;
  readonly cpuTimes: CpuTimes;
  readonly memory: readonly PageReading[];
  /** Messages that were sent to the conversation, per second. */
  readonly rate: number;
  readonly faults: readonly string[];
}

const messagesPerSecond = 50;
const maxResponseMs = 100;
/** Every fourth round is traced; in the others, response times are measured. */
const roundsPerTrace = 4;

/** Uses the console of a large account while messages arrive in its longest conversation. */
export async function runConsole(options: ConsoleOptions): Promise<ConsoleFigures> {
  const { stack, browser, seconds, precedence, signal, report } = options;
  const person = await stack.people.newPerson();
  const agentId = await fillAccount(stack, person);
  const { agents, friends, records } = accountSize;
  report(`${agents} agents, ${friends} friends, a history of ${records} records`);
  if (precedence) await lowerStackPriority(stack);
  const consoleWindow = await ConsoleWindow.open(browser, stack, person);
  const gauge = await PageGauge.open(consoleWindow.page);
  const interactions = new Interactions(consoleWindow, gauge, `/agents/${agentId}`);
  const memory: PageReading[] = [];
  const endOfRun = new AbortController();
  const startedAt = Date.now();
  const elapsed = (): number => (Date.now() - startedAt) / 1_000;
  const sending = sendSteadily(stack, person, endOfRun.signal);
  try {
    for (let round = 1; elapsed() < seconds && !signal.aborted; round += 1) {
      await interactions.round(round, round % roundsPerTrace === 0);
      if (round === 1) await readEverything(interactions);
      const reading = await gauge.readMemory();
      memory.push(reading);
      report(
        `${elapsed().toFixed(0)} s: heap ${reading.heap} MiB, ${reading.nodes} nodes, ${reading.listeners} listeners`,
      );
    }
  } finally {
    endOfRun.abort();
  }
  const rate = (await sending) / elapsed();
  await consoleWindow.close();
  const slow = [...interactions.measurements].flatMap(([what, timings]) => {
    const inputs = timings.filter(({ computedMs }) => computedMs !== undefined);
    const longest = Math.max(0, ...inputs.map(({ ms }) => ms));
    return longest > maxResponseMs ? [`${what} took ${Math.round(longest)} ms`] : [];
  });
  const faults = [...consoleWindow.problems, ...slow, ...heapGrowthOf(memory)];
  const { measurements, cpuTimes } = interactions;
  return { measurements, cpuTimes, memory, rate, faults };
}

async function readEverything(interactions: Interactions): Promise<void> {
  await interactions.openConversation();
  await interactions.readAll();
}

/** Posts messages to the conversation at a steady rate until aborted; resolves to how many were sent. */
async function sendSteadily(stack: Stack, { as }: Person, signal: AbortSignal): Promise<number> {
  const startedAt = Date.now();
  const openCalls = new Set<Promise<unknown>>();
  let sent = 0;
  while (!signal.aborted) {
    const due = Math.floor(((Date.now() - startedAt) / 1_000) * messagesPerSecond);
    for (; sent < due; sent += 1) {
      const call = stack.runtime
        .postMessage(post(textOf(sent)), as)
        .finally(() => openCalls.delete(call));
      openCalls.add(call);
    }
    await delay(20);
  }
  await Promise.all(openCalls);
  return sent;
}
