import { safeLine, safeText } from '../output/safe-text';
import type { Style } from '../output/view';
import type { PlayedStep } from './check-step';
import type { PersonName } from './story';

/** Renders a step: who does what, the result, and what the other side receives. */
export function renderStep(step: PlayedStep, stepNumber: number, { colours }: Style): string {
  const { bold, dim, red, green } = colours;
  const mark = step.ok ? green('✔') : red('✘');
  const took = dim(`${(step.tookMs / 1_000).toFixed(1)} s`);
  const problem = step.problem === undefined ? [] : [red(`   Failed: ${safeLine(step.problem)}.`)];
  const call = `${step.who} (${step.nametag}): ${step.tool} ${JSON.stringify(step.arguments)}`;
  return [
    `${mark} ${bold(`${stepNumber}. ${step.title}`)} ${took}`,
    dim(`   ${safeLine(call)}`),
    `   → ${safeLine(summaryOf(step.result))}`,
    ...receivedLines(step),
    ...problem,
  ].join('\n');
}

export function renderTopologies(
  topologies: Readonly<Record<PersonName, string>>,
  { colours }: Style,
): string {
  return Object.entries(topologies)
    .map(([name, text]) => `\n${colours.bold(`${name}'s topology at the end:`)}\n${safeText(text)}`)
    .join('\n');
}

function receivedLines({ received, answer }: PlayedStep): string[] {
  return [received, answer].flatMap((message) => {
    if (!message) return [];
    const { who, origin, text } = message;
    return `   ${who} receives from ${origin}: ${safeLine(text)}`;
  });
}

function summaryOf(result: PlayedStep['result']): string {
  const { error, summary } = result as {
    error?: { code: string; message: string };
    summary?: string;
  };
  if (error) return `refused, ${error.code}: ${error.message}`;
  return summary ?? JSON.stringify(result);
}
