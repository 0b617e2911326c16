import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { Agent } from '../../agents';
import type { SkillCatalog, SkillEntry } from '../../skills';
import type { ToolRegistry } from '../../tools';

type Tools = Pick<ToolRegistry, 'answer' | 'isReadOnly' | 'offer'>;

const keptMs = 2_000;
const maxUsers = 10_000;

/**
 * Keeps the list of a user's skills for a moment, since every prompt needs it and reading it opens a
 * folder and its files. A skill that a tool has written is in the next prompt: agents of one user run in
 * one replica, and the list is dropped after each of their tool calls.
 */
export class RecentSkills {
  readonly #lists = new LRUCache<string, Promise<readonly SkillEntry[]>>({
    ...limitEntries(maxUsers),
    ttl: keptMs,
  });

  constructor(private readonly skills: Pick<SkillCatalog, 'list'>) {}

  /** All agents of a user see the same skills. */
  list(agent: Agent): Promise<readonly SkillEntry[]> {
    const { userId } = agent;
    const known = this.#lists.get(userId);
    if (known) return known;
    const list = this.skills.list(agent);
    this.#lists.set(userId, list);
    list.catch(() => this.forget(userId));
    return list;
  }

  forget(userId: string): void {
    this.#lists.delete(userId);
  }

  /** Wraps tools so that each call drops the cached skills of its user. */
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
