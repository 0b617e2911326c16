import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import type { SubuserFacts } from '../usecases/notice-draft';

interface TestPerson extends DirectoryEntry, SubuserFacts {
  readonly systemPrompt: string;
}

/** Who exists, in place of identity. */
export class TestPeople {
  readonly #people = new Map<string, TestPerson>();

  readonly directory = {
    findById: async (userId: string) => this.#people.get(userId),
    findByNametag: async (nametag: string) =>
      [...this.#people.values()].find((person) => person.nametag === nametag),
  };

  readonly describeSubusers = async (ids: readonly string[]) =>
    new Map<string, SubuserFacts>(
      ids.flatMap((id) => {
        const person = this.#people.get(id);
        return person ? [[id, person]] : [];
      }),
    );

  readonly describeSubuser = async (id: string) => (await this.describeSubusers([id])).get(id);

  /** Somebody new; a subuser when there is an owner. */
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
