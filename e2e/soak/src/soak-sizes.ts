import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { serviceNames, type ServiceName } from '@daycare/local-stack';
import { formatTable, type TableColumn } from '@daycare/terminal';
import { whenDrained } from '../../support/load/message-storm';
import { post } from '../../support/people/history';
import type { Person } from '../../support/people/people';
import { startStack, type Stack } from '../../support/stack/stack';

/** The size of a collection: its documents, their bytes uncompressed and on disk, and the bytes of its indexes. */
interface Size {
  readonly count: number;
  readonly bytes: number;
  readonly storageBytes: number;
  readonly indexBytes: number;
}

const perPerson = { friends: 4, messages: 10, nodes: 5, files: 5 };

/**
 * Fills a stack and prints how much space its collections take, for the calculations in docs/scale.md.
 */
export async function soakSizes(people: number, say: (line: string) => void): Promise<number> {
  const stack = await startStack({ ownServers: true });
  try {
    const all = await makePeople(stack, people);
    await report(stack, `${people} users`, say);
    await befriendRing(stack, all);
    await report(stack, `each has ${perPerson.friends} friends`, say);
    await sendMessages(stack, all);
    await report(stack, `each has sent ${perPerson.messages} messages and posted as many`, say);
    await writeMemoriesAndFiles(stack, all);
    await report(
      stack,
      `each has ${perPerson.nodes} memory nodes and ${perPerson.files} files`,
      say,
    );
    await sayFiles(stack.usersDir, say);
    return 0;
  } finally {
    await stack.stop();
  }
}

async function makePeople(stack: Stack, count: number): Promise<Person[]> {
  const all: Person[] = [];
  while (all.length < count)
    all.push(...(await stack.people.newPeople(Math.min(50, count - all.length))));
  return all;
}

async function befriendRing({ people }: Stack, all: readonly Person[]): Promise<void> {
  for (const [index, person] of all.entries()) {
    const offsets = Array.from({ length: perPerson.friends / 2 }, (_, offset) => offset + 1);
    await Promise.all(
      offsets.map((offset) => people.befriend(person, all[(index + offset) % all.length]!)),
    );
  }
}

async function sendMessages(stack: Stack, all: readonly Person[]): Promise<void> {
  const { graph, runtime } = stack;
  for (let round = 0; round < perPerson.messages; round += 1) {
    for (const [index, { as }] of all.entries()) {
      const { nametag } = all[(index + 1) % all.length]!;
      const message = `Message ${round}: shall we meet at the usual place tomorrow at eight?`;
      await graph.sendFriendMessage({ requestId: createId(), nametag, message }, as);
      await runtime.postMessage(post(`Note ${round}: remind me to buy bread and milk.`), as);
    }
  }
  await whenDrained(stack, 600_000);
}

async function writeMemoriesAndFiles(
  { agents, runtime, people }: Stack,
  all: readonly Person[],
): Promise<void> {
  for (const person of all) {
    const { agentId } = await runtime.postMessage(post('Remember this.'), person.as);
    const agent = { id: agentId, userId: person.id, as: await people.signIn(person.id, agentId) };
    for (let node = 0; node < perPerson.nodes; node += 1)
      await agents.callTool(agent, 'memory_write', {
        title: `Fact ${node}`,
        content:
          'Prefers green tea, three minutes, without sugar; never after four in the afternoon.',
      });
    for (let file = 0; file < perPerson.files; file += 1)
      await agents.callTool(agent, 'file_write', {
        path: `home/note-${file}.txt`,
        content: 'Bread, milk, green tea; the usual place at eight.',
      });
  }
}

async function report(stack: Stack, title: string, say: (line: string) => void): Promise<void> {
  await stack.db('agent-runtime').admin().command({ fsync: 1 });
  say(`\n${title}`);
  const rows: string[][] = [];
  for (const service of serviceNames) {
    const collections = await stack.db(service).listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of collections.sort((a, b) => a.name.localeCompare(b.name))) {
      const size = await sizeOf(stack, service, name);
      if (size.count > 0) rows.push([`${service}.${name}`, ...toFigures(size)]);
    }
  }
  const headings = ['documents', 'bytes/doc', 'disk/doc', 'index/doc'];
  say(formatTable([{ heading: 'collection' }, ...headings.map(rightAligned)], rows));
}

function toFigures({ count, bytes, storageBytes, indexBytes }: Size): string[] {
  const each = [bytes, storageBytes, indexBytes].map((sum) => Math.round(sum / count));
  return [count, ...each].map(String);
}

function rightAligned(heading: string): TableColumn {
  return { heading, align: 'right' };
}

/** Prints the sizes of users' files by top-level folder: memory nodes, homes and so on. */
async function sayFiles(usersDir: string, say: (line: string) => void): Promise<void> {
  const kinds = new Map<string, { files: number; bytes: number; diskBytes: number }>();
  for (const entry of await readdir(usersDir, { recursive: true, withFileTypes: true })) {
    const kind = relative(usersDir, entry.parentPath).split(sep)[1] ?? '.';
    const { size, blocks } = await lstat(join(entry.parentPath, entry.name));
    const totals = kinds.get(kind) ?? { files: 0, bytes: 0, diskBytes: 0 };
    kinds.set(kind, {
      files: totals.files + (entry.isFile() ? 1 : 0),
      bytes: totals.bytes + (entry.isFile() ? size : 0),
      diskBytes: totals.diskBytes + blocks * 512,
    });
  }
  const headings = ['files', 'bytes of content', 'bytes on disk with folders'];
  const rows = [...kinds].map(([kind, { files, bytes, diskBytes }]) => [
    kind,
    ...[files, bytes, diskBytes].map(String),
  ]);
  say(`\n${formatTable([{ heading: "users' files" }, ...headings.map(rightAligned)], rows)}`);
}

async function sizeOf({ db }: Stack, service: ServiceName, collection: string): Promise<Size> {
  const [stats] = await db(service)
    .collection(collection)
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray();
  const { count, size, storageSize, totalIndexSize } = stats?.['storageStats'] as Record<
    string,
    number
  >;
  return {
    count: count ?? 0,
    bytes: size ?? 0,
    storageBytes: storageSize ?? 0,
    indexBytes: totalIndexSize ?? 0,
  };
}
