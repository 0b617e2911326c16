import { safeLine, safeText } from '../output/safe-text';
import type { Style } from '../output/view';
import type { PlayedStep } from './judge-step';
import type { PersonName } from './story';

/** A step for people: who does what, what came of it, and what the other hears. */
export function renderStep(step: PlayedStep, number: number, { colours }: Style): string {
  const { bold, dim, red, green } = colours;
  const mark = step.ok ? green('✔') : red('✘');
  const took = dim(`${(step.tookMs / 1_000).toFixed(1)} s`);
  const problem = step.problem === undefined ? [] : [red(`   But ${safeLine(step.problem)}.`)];
  const call = `${step.who} (${step.nametag}): ${step.tool} ${JSON.stringify(step.arguments)}`;
  return [
    `${mark} ${bold(`${number}. ${step.title}`)} ${took}`,
    dim(`   ${safeLine(call)}`),
    `   → ${safeLine(summaryOf(step.result))}`,
    ...heardLines(step),
    ...problem,
  ].join('\n');
}

export function renderTopologies(
  topologies: Readonly<Record<PersonName, string>>,
  { colours }: Style,
): string {
  return Object.entries(topologies)
    .map(([name, text]) => `\n${colours.bold(`What ${name} has in the end:`)}\n${safeText(text)}`)
    .join('\n');
}

function heardLines({ heard }: PlayedStep): string[] {
  return heard ? [`   ${heard.who} hears from ${heard.origin}: ${safeLine(heard.text)}`] : [];
}

function summaryOf(result: PlayedStep['result']): string {
  const { error, summary } = result as {
    error?: { code: string; message: string };
    summary?: string;
  };
  if (error) return `refused, ${error.code}: ${error.message}`;
  return summary ?? JSON.stringify(result);
}
