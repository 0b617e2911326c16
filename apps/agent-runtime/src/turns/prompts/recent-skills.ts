import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { Agent } from '../../agents';
import type { SkillCatalog, SkillEntry } from '../../skills';
import type { ToolRegistry } from '../../tools';

type Tools = Pick<ToolRegistry, 'answer' | 'isReadOnly' | 'offer'>;

const maxAgeMs = 2_000;
const maxUsers = 10_000;

/**
 * Caches each user's list of skills for up to `maxAgeMs`, since every prompt needs it and reading it opens a folder and
 * its files. A skill that a tool has written is in the next prompt, because all of a user's agents run in one replica,
 * and the list is dropped after each of their tool calls.
 */
export class RecentSkills {
  readonly #lists = new LRUCache<string, Promise<readonly SkillEntry[]>>({
    ...limitEntries(maxUsers),
    ttl: maxAgeMs,
  });

  constructor(private readonly skills: Pick<SkillCatalog, 'list'>) {}

  /** All of a user's agents get the same list. */
  list(agent: Agent): Promise<readonly SkillEntry[]> {
    const { userId } = agent;
    const cached = this.#lists.get(userId);
    if (cached) return cached;
    const list = this.skills.list(agent);
    this.#lists.set(userId, list);
    list.catch(() => this.forget(userId));
    return list;
  }

  forget(userId: string): void {
    this.#lists.delete(userId);
  }

  /** Wraps tools so that each call drops its user's cached skills. */
  watch(tools: Tools): Tools {
    return {
      offer: (agent) => tools.offer(agent),
      isReadOnly: (name) => tools.isReadOnly(name),
      answer: async (name, argumentsJson, context) => {
        try {
          return await tools.answer(name, argumentsJson, context);
        } finally {
          this.forget(context.agent.userId);
        }
      },
    };
  }
}
