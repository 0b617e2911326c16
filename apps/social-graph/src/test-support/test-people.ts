import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import type { SubuserFacts } from '../domain/sharing';

interface TestPerson extends DirectoryEntry, SubuserFacts {
  readonly systemPrompt: string;
}

/** A stand-in for identity: the users and subusers that exist. */
export class TestPeople {
  readonly #people = new Map<string, TestPerson>();

  readonly #cached = new Set<string>();

  readonly directory = {
    findById: async (userId: string, onFetch?: () => void) =>
      this.#find(onFetch, (person) => person.userId === userId),
    findByNametag: async (nametag: string, onFetch?: () => void) =>
      this.#find(onFetch, (person) => person.nametag === nametag),
  };

  /** A user who has been found once is cached from then on. */
  #find(
    onFetch: () => void = () => undefined,
    matches: (person: TestPerson) => boolean,
  ): TestPerson | undefined {
    const found = [...this.#people.values()].find(matches);
    if (!found || !this.#cached.has(found.userId)) onFetch();
    if (found) this.#cached.add(found.userId);
    return found;
  }

  readonly findOwnSubusers = async (ownerId: string, name: string) =>
    [...this.#people.values()].filter(
      (person) => person.parentUserId === ownerId && person.name === name,
    );

  readonly findNames = async (userIds: readonly string[]) =>
    new Map(userIds.map((id) => [id, this.#people.get(id)?.name ?? ''] as const));

  /** Runs once, in the next `describeSubuser`: after identity has answered and before the caller has the answer. */
  beforeNextAnswer: (() => Promise<unknown>) | undefined;

  readonly describeSubuser = async (id: string): Promise<SubuserFacts | undefined> => {
    const [answer, hook] = [this.#people.get(id), this.beforeNextAnswer];
    this.beforeNextAnswer = undefined;
    await hook?.();
    return answer;
  };

  rename(userId: string, name: string): void {
    const person = this.#people.get(userId);
    if (person) this.#people.set(userId, { ...person, name });
  }

  /** Adds a user, or a subuser if an owner is given. */
  add(owner?: DirectoryEntry): DirectoryEntry {
    const userId = uniqueName('u').replace('-', '');
    const nametag = `otter${this.#people.size + 1}`;
    const person: TestPerson = {
      userId,
      nametag,
      parentUserId: owner?.userId,
      name: 'Helper',
      description: 'Knows the recipes',
      systemPrompt: 'A secret instruction',
    };
    this.#people.set(userId, person);
    return person;
  }

  addMany(count: number): DirectoryEntry[] {
    return Array.from({ length: count }, () => this.add());
  }
}
