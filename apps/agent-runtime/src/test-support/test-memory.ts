import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { buildMemory } from '../memory/build';
import type { Agent } from '../agents/domain/agent';
import type { UserHomes } from '../homes/usecases/user-homes';
import { memoryTools } from '../tools/families/memory-tools';
import { testRegistry } from './test-tool';
import type { ToolRegistry } from '../tools/registry/tool-registry';
import { testAgent, testContext } from './test-agent';
import { TestHomes } from './homes/test-homes';

const quotaBytes = 64 * 1_048_576;

/** Users' directories on disk, and the memory tools that use them. Call `close` at the end. */
export class TestMemory {
  /** The current time in every replica. */
  now = new Date();
  /** The paths read so far, by any replica. */
  readonly reads: string[] = [];
  readonly usersDir: string;

  private constructor(
    private readonly testHomes: TestHomes,
    readonly homes: UserHomes,
  ) {
    this.usersDir = testHomes.usersDir;
  }

  static async open(): Promise<TestMemory> {
    const testHomes = await TestHomes.open();
    return new TestMemory(testHomes, await testHomes.replica(quotaBytes));
  }

  /** Sets the clock to the current time; returns a new agent and a new replica's tools. */
  startFresh(): { readonly agent: Agent; readonly tools: ToolRegistry } {
    this.now = new Date();
    return { agent: this.newAgent(), tools: this.replica() };
  }

  /** Returns the tools of another replica, which has its own cache. */
  replica(): ToolRegistry {
    const now = (): Date => this.now;
    const read: UserHomes['read'] = (userId, path, ...rest) => {
      this.reads.push(path);
      return this.homes.read(userId, path, ...rest);
    };
    const memory = buildMemory({ homes: { ...this.homes, read }, now });
    return testRegistry(memoryTools({ memory, ledger: this.testHomes.ledger() }));
  }

  newAgent(): Agent {
    return testAgent({ userId: createId() });
  }

  /** Puts a file into the user's memory folder, as a person could. */
  async put(
    agent: Agent,
    name: string,
    content: string | Buffer,
    modifiedAt?: Date,
  ): Promise<void> {
    const folder = join(this.usersDir, agent.userId, 'memory', 'graph');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), content);
    if (modifiedAt) await utimes(join(folder, name), modifiedAt, modifiedAt);
  }

  /** Reads every user's files; returns their contents by path. */
  async files(): Promise<Record<string, string>> {
    const entries = await readdir(this.usersDir, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const files = paths.map(async (path) => [
      path.slice(this.usersDir.length + 1),
      await readFile(path, 'utf8'),
    ]);
    return Object.fromEntries(await Promise.all(files));
  }

  async close(): Promise<void> {
    await this.testHomes.close();
  }
}

/** Calls a tool as an agent; returns the result, parsed from its JSON. */
export async function callAs(
  tools: ToolRegistry,
  agent: Agent,
  name: string,
  args: object,
  requestId: string = createId(),
) {
  const { resultJson, truncated } = await tools.call(
    name,
    JSON.stringify(args),
    testContext(agent, { requestId }),
  );
  if (truncated) throw new Error(`the result of ${name} was truncated`);
  return JSON.parse(resultJson);
}
