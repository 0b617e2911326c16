import { spawn } from 'node:child_process';
import { createConsoleLink } from '../../client/auth/console-link';
import { findLocalStack } from '../../client/contexts/local-stack';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { recordView } from '../../output/record';
import { toTime } from '../../output/words';
import { defineCommand } from '../kit/command';

interface ConsoleOptions {
  readonly url?: string;
  readonly open?: boolean;
}

export const consoleCommand = defineCommand<ConsoleOptions>({
  name: 'console',
  description: 'print a single-use link that signs a browser in as you',
  options: [
    ['--url <url>', "address of the gateway (default: the local stack's)"],
    ['--open', "also open the link in this machine's browser"],
  ],
  examples: ['console --open', 'console --url https://daycare.example.org --context work'],
  async run({ session, options: { url, open } }) {
    const opened = await session();
    const gatewayUrl = checkUrl(url ?? localUrl(opened.context.context.stack));
    const link = await createConsoleLink(opened.identity, gatewayUrl);
    if (open) openInBrowser(link.url);
    return recordView(link, [
      ['open', link.url],
      ['expires', toTime(link.expiresAt)],
    ]);
  },
});

function localUrl(stack: string | undefined): string {
  const { gateway } = (stack === undefined ? undefined : findLocalStack(stack)?.addresses) ?? {};
  if (gateway !== undefined) return `http://${gateway}`;
  throw new Failure(
    exitCodes.usage,
    'The address of the gateway is unknown.',
    'Pass it with --url, e.g. --url https://daycare.example.org.',
  );
}

function checkUrl(url: string): string {
  if (URL.canParse(url)) return url;
  throw new Failure(exitCodes.usage, `"${url}" is not a URL.`, 'Pass one such as https://…');
}

/** Fails silently, because the person can open the printed link instead. */
function openInBrowser(url: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
