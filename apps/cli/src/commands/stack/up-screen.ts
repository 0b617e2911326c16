import {
  appNames,
  describeExit,
  hidePassword,
  preferredEdgePort,
  preferredPorts,
  reasonOf,
  type PartName,
  type ServiceAddress,
  type StackAddresses,
  type StackEvent,
} from '@daycare/local-stack';
import { renderLogLine } from '../../terminal/render-log-line';
import type { Screen } from '../../terminal/screen';

const titles: Readonly<Partial<Record<PartName, string>>> = { mongo: 'MongoDB', nats: 'NATS' };
const maxQuotedLines = 12;
const nameWidth = 15;
/** The width of `http://127.0.0.1:50055` plus two spaces. */
const addressWidth = 24;

export interface ReadyDetails {
  readonly tookMs: number;
  readonly logs: string;
  /** The data folder, if it is not the default one. */
  readonly dataDir?: string | undefined;
  /** Which model agents use, and how to change that. */
  readonly model?: readonly string[];
  /** A link that signs in the person who uses this machine. */
  readonly consoleUrl?: string | undefined;
}

/** Shows the events of a stack on the screen, from start to stop. */
export class UpScreen {
  readonly #screen: Screen;
  readonly #verbose: boolean;
  readonly #pending = new Set<string>();

  constructor(screen: Screen, options: { readonly verbose: boolean }) {
    this.#screen = screen;
    this.#verbose = options.verbose;
  }

  showEvent(event: StackEvent): void {
    switch (event.type) {
      case 'starting':
        return this.#showStarting(event.part);
      case 'ready':
        return this.#showReady(event);
      case 'exited':
        return this.#showExit(event);
      case 'restart-failed':
        return this.#showFailedRestart(event);
      case 'restarted':
        return this.#tick(`${titleOf(event.part)} restarted`, event.tookMs);
      case 'line':
        return this.#showLine(event.part, event.line);
      case 'credentials-created':
      case 'stopped':
        return;
    }
  }

  showStart(dataDir: string): void {
    const { bold, dim } = this.#screen.colours;
    this.#screen.print(`${bold('Daycare')} ${dim(`data in ${dataDir}`)}`, '');
  }

  showNewCredential(secret: string, file: string): void {
    this.#screen.print(
      `Admin credential (shown only once; stored in ${file}):`,
      `  ${this.#screen.colours.bold(`admin:${secret}`)}`,
      '',
    );
  }

  showAddresses(addresses: StackAddresses, details: ReadyDetails): void {
    const { bold, dim, yellow } = this.#screen.colours;
    this.#screen.print(
      '',
      bold(`Daycare is ready in ${toSeconds(details.tookMs)}.`),
      '',
      ...renderTable(addresses),
      '',
      ...renderMovedPorts(addresses.services, yellow),
      ...renderModel(details.model),
      ...renderConsole(details.consoleUrl, bold),
      bold('Try it:'),
      ...renderExamples(details),
      '',
      dim(`Logs: ${details.logs}`),
      dim('Press Ctrl-C to stop everything.'),
    );
  }

  /** Clears the status line of pending parts, so that an error starts on its own line. */
  showFailure(): void {
    this.#pending.clear();
    this.#screen.showStatus('');
  }

  showStopping(): void {
    this.#pending.clear();
    this.#screen.print('', 'Stopping…');
  }

  showStopped(tookMs: number): void {
    this.#screen.print(`Stopped in ${toSeconds(tookMs)}. Nothing is left running.`);
  }

  #showStarting(part: PartName): void {
    this.#pending.add(titleOf(part));
    this.#showPending();
  }

  #showReady({ part, tookMs, version, external }: Extract<StackEvent, { type: 'ready' }>): void {
    this.#pending.delete(titleOf(part));
    const words = [titleOf(part), version, external ? '(already running)' : undefined];
    this.#tick(words.filter(Boolean).join(' '), tookMs);
    this.#showPending();
  }

  #showExit({ part, exit, lastLines, restartInMs }: Extract<StackEvent, { type: 'exited' }>): void {
    const { red, dim } = this.#screen.colours;
    this.#screen.print(
      '',
      red(`✖ ${titleOf(part)} ${describeExit(exit)}. Its last lines:`),
      ...this.#quote(lastLines).map(dim),
      `  Restarting in ${toSeconds(restartInMs)}.`,
    );
  }

  #showFailedRestart(event: Extract<StackEvent, { type: 'restart-failed' }>): void {
    const [sentence = '', ...rest] = reasonOf(event.error).split('\n');
    this.#screen.print(
      this.#screen.colours.red(`✖ ${titleOf(event.part)} failed to restart: ${sentence}`),
      ...this.#quote(rest).map(this.#screen.colours.dim),
      `  Retrying in ${toSeconds(event.retryInMs)}.`,
    );
  }

  #showLine(part: PartName, line: string): void {
    if (!this.#verbose) return;
    const name = this.#screen.colours.dim(`${part.padEnd(nameWidth)}|`);
    this.#screen.print(`${name} ${renderLogLine(line)}`);
  }

  #showPending(): void {
    const names = [...this.#pending].join(', ');
    this.#screen.showStatus(names === '' ? '' : `  … ${names}`);
  }

  /** Truncates long lines, because the important part comes first and the log file has the rest. */
  #quote(lines: readonly string[]): string[] {
    const shown = lines.slice(-maxQuotedLines).flatMap((line) => renderLogLine(line).split('\n'));
    const fitting = shown.map((line) => `    ${line}`.slice(0, this.#screen.width));
    return fitting.length > 0 ? fitting : ['    (no output)'];
  }

  #tick(text: string, tookMs: number): void {
    const { green, dim } = this.#screen.colours;
    this.#screen.print(`  ${green('✔')} ${text.padEnd(30)} ${dim(toSeconds(tookMs))}`);
  }
}

function titleOf(part: PartName): string {
  return titles[part] ?? part;
}

function renderTable({ mongo, nats, services }: StackAddresses): string[] {
  const row = (name: string, address: string, more = ''): string =>
    `  ${name.padEnd(nameWidth)}${address.padEnd(addressWidth)}${more}`.trimEnd();
  const edge = services.find(({ edgeAddress }) => edgeAddress)?.edgeAddress;
  return [
    ...services.map(({ name, grpcAddress, httpAddress }) =>
      row(
        name,
        name === 'gateway' ? `http://${grpcAddress}` : grpcAddress,
        `http://${httpAddress}/metrics`,
      ),
    ),
    ...(edge === undefined ? [] : [row('HTTP edge', `http://${edge}`)]),
    row('MongoDB', hidePassword(mongo.url)),
    row('NATS', hidePassword(nats.url)),
  ];
}

/** Warns about moved ports, because a client that uses the usual port would reach the program that occupies it. */
function renderMovedPorts(
  services: readonly ServiceAddress[],
  warn: (text: string) => string,
): string[] {
  const portOf = (address = ''): number => Number(address.slice(address.lastIndexOf(':') + 1));
  const preferred = [
    ...appNames.map((name) => ({
      name,
      port: preferredPorts[name],
      addresses: services.flatMap((service) =>
        service.name === name ? [service.grpcAddress] : [],
      ),
    })),
    {
      name: 'the HTTP edge',
      port: preferredEdgePort,
      addresses: services.flatMap(({ edgeAddress }) => edgeAddress ?? []),
    },
  ];
  const moved = preferred.filter(
    ({ port, addresses }) =>
      addresses.length > 0 && !addresses.some((address) => portOf(address) === port),
  );
  const lines = moved.map(({ name, port, addresses: [first] }) =>
    warn(`  ! ${name} is on port ${portOf(first)} instead of ${port}.`),
  );
  return lines.length === 0 ? [] : [...lines, ''];
}

function renderConsole(url: string | undefined, bold: (text: string) => string): string[] {
  if (url === undefined) return [];
  const note = '(works once, within 15 minutes; "npx daycare console" prints another link)';
  return [bold('Open in a browser:'), `  ${url}`, `  ${note}`, ''];
}

function renderModel(lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}

function renderExamples({ dataDir }: ReadyDetails): string[] {
  const where = dataDirFlag(dataDir);
  const examples = [
    [`  npx daycare demo${where}`, 'watch two people and their agents'],
    [`  npx daycare login${where}`, 'create a user for yourself'],
    ['  npx daycare chat', 'talk with your agent'],
    [`  npx daycare doctor${where}`, 'find problems'],
  ] as const;
  const width = Math.max(...examples.map(([command]) => command.length)) + 2;
  return examples.map(([command, purpose]) => command.padEnd(width) + purpose);
}

/** Returns the option with which a command finds a stack outside the default folder; empty for the default folder. */
export function dataDirFlag(dataDir: string | undefined): string {
  return dataDir === undefined ? '' : ` --data-dir ${quoteWord(dataDir)}`;
}

/** Quotes a word for a POSIX shell. */
function quoteWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
