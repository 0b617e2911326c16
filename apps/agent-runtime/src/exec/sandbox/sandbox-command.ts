/** A path at which programs expect a system folder: the folder itself, or a link to it. */
export type SystemFolder =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** The resource limits of one program. */
export interface SandboxLimits {
  /** Enforced for each process; monitored for all processes of the program together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** The maximum size of each file that the program writes. */
  readonly fileBytes: number;
}

export interface SandboxCommand {
  /** A command line for `/bin/sh -c`. */
  readonly command: string;
  readonly network: boolean;
  readonly system: readonly SystemFolder[];
  readonly limits: SandboxLimits;
}

/** The user's folders that a program can see, in the order in which they are passed as open descriptors. */
export const userFolders = ['home', 'apps', 'skills'] as const;

/**
 * The first descriptor that bubblewrap gets besides the standard streams. First come the user's folders, then the
 * descriptor for the sandbox's status, then the one on which the sandbox reports that the program has started.
 */
const firstDescriptor = 3;
export const statusDescriptor = firstDescriptor + userFolders.length;
export const startedDescriptor = statusDescriptor + 1;

const base = '/home/agent';
const maxOpenFiles = 256;
const maxCpuSeconds = 600;
const tmpBytes = 64 * 1024 * 1024;
const sharedMemoryBytes = 16 * 1024 * 1024;

const firstProcess = `echo >&${startedDescriptor}; exec ${startedDescriptor}>&-; /bin/sh -c "$1"; exit $?`;

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: `${base}/home`,
  USER: 'agent',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: '/tmp',
} as const;

const systemFiles = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];
const networkFiles = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

/**
 * Returns every path on the host that a program may see besides its user's folders, including the paths that only
 * programs with network access get.
 */
export function mountedPaths(system: readonly SystemFolder[]): readonly string[] {
  const folders = system.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
  return [...folders, ...systemFiles, ...networkFiles];
}

/**
 * Returns the bubblewrap arguments for one program. The user's folders are passed as open descriptors, not by
 * name.
 */
export function sandboxArguments(command: SandboxCommand): string[] {
  return [
    ...isolationArguments(command.network),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...command.system.flatMap(mountSystem),
    ...systemFiles.flatMap(mountFile),
    ...(command.network ? networkFiles.flatMap(mountFile) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', `${sharedMemoryBytes}`, '--tmpfs', '/dev/shm'],
    ...['--size', `${tmpBytes}`, '--tmpfs', '/tmp'],
    ...userFolders.flatMap(mountUserFolder),
    // The rest of the root file system is in memory and has no size limit, so it must not be writable.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', `${base}/home`, '--json-status-fd', `${statusDescriptor}`],
    '--',
    ...limitedCommand(command),
  ];
}

function isolationArguments(network: boolean): string[] {
  return [
    '--unshare-all',
    ...(network ? ['--share-net'] : []),
    // `--unshare-all` only tries to create the user and cgroup namespaces; these options require them.
    ...['--unshare-user', '--unshare-cgroup', '--disable-userns'],
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--as-pid-1', '--clearenv'],
  ];
}

function mountSystem(folder: SystemFolder): string[] {
  if (folder.kind === 'link') return ['--symlink', folder.target, folder.path];
  return ['--ro-bind', folder.path, folder.path];
}

function mountFile(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/** Skills instruct agents, so programs must not be able to change them. */
function mountUserFolder(folder: (typeof userFolders)[number], index: number): string[] {
  const bind = folder === 'skills' ? '--ro-bind-fd' : '--bind-fd';
  return [bind, `${firstDescriptor + index}`, `${base}/${folder}`];
}

/**
 * Sets the limits inside the sandbox, where processes are counted per sandbox. The outer shell is the sandbox's first
 * process; when it ends, the kernel kills all others before bubblewrap is notified of its end. Through a descriptor
 * that the program does not get, the shell reports that the program is starting.
 */
function limitedCommand({ command, limits }: SandboxCommand): string[] {
  const { memoryBytes, processes, fileBytes } = limits;
  return [
    ...['nice', '-n', '19', 'choom', '-n', '1000', '--', 'prlimit'],
    ...[`--nproc=${processes}`, `--data=${memoryBytes}`, `--fsize=${fileBytes}`],
    ...[`--nofile=${maxOpenFiles}`, `--cpu=${maxCpuSeconds}`, '--core=0', '--memlock=0', '--'],
    ...['/bin/sh', '-c', firstProcess, 'sh', command],
  ];
}
