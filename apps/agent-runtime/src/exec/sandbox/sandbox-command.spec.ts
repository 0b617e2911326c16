import { expect, it } from '@jest/globals';
import { sandboxArguments, type SandboxCommand } from './sandbox-command';

const command: SandboxCommand = {
  command: 'echo "$HOME"; --proc /x',
  network: false,
  system: [
    { kind: 'folder', path: '/usr' },
    { kind: 'link', path: '/bin', target: 'usr/bin' },
    { kind: 'folder', path: '/lib' },
  ],
  limits: { memoryBytes: 1_000, processes: 8, fileBytes: 2_000 },
};

const lineOf = (overrides: Partial<SandboxCommand> = {}): string =>
  sandboxArguments({ ...command, ...overrides }).join(' ');

it('the sandbox command passes the whole command to bubblewrap as the last argument', () => {
  const args = sandboxArguments(command);
  expect(args.at(-1)).toBe(command.command);
  expect(args.indexOf('--')).toBeLessThan(args.indexOf('prlimit'));
});

it('the sandbox command makes bubblewrap create every namespace, drop all capabilities and die with its parent', () => {
  const args = sandboxArguments(command);
  expect(args).toEqual(
    expect.arrayContaining([
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--die-with-parent',
      '--new-session',
      '--clearenv',
    ]),
  );
  expect(lineOf()).toContain('--cap-drop ALL');
});

it('the sandbox command shares the network, and the files needed to use it, only when requested', () => {
  expect(lineOf()).not.toMatch(/--share-net|resolv\.conf|ssl/);
  expect(lineOf({ network: true })).toMatch(/--unshare-all --share-net .*resolv\.conf.*\/etc\/ssl/);
});

it('the sandbox command mounts the system’s folders and links read-only as on the host, and the user’s folders by descriptor', () => {
  const line = lineOf();
  expect(line).toContain('--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /lib /lib');
  expect(line).toContain(
    '--bind-fd 3 /home/agent/home --bind-fd 4 /home/agent/apps --ro-bind-fd 5 /home/agent/skills',
  );
  expect(line).not.toMatch(/--(dev-)?bind(-try)? /);
});

it('the sandbox command limits processes, memory, file size, open files, CPU time and core dumps', () => {
  expect(lineOf()).toContain(
    'prlimit --nproc=8 --data=1000 --fsize=2000 --nofile=256 --cpu=600 --core=0',
  );
});
