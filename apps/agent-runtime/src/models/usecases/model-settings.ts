import type { Agent } from '../../agents';
import { roleOf } from '../../agents';
import {
  decidingSetting,
  levelKeys,
  type ModelSetting,
  type ModelSubject,
} from '../domain/model-levels';
import type { ModelsConfig } from '../models-config';
import type { KnownChoices } from './known-choices';

export interface ModelSettingsDeps {
  readonly known: Pick<KnownChoices, 'find'>;
  readonly config: Pick<ModelsConfig, 'instance' | 'roles'>;
}

/**
 * The choices of all levels for each of the subjects, the most specific first; takes one read at most.
 */
export type ReadSettings = (
  subjects: readonly ModelSubject[],
) => Promise<readonly (readonly ModelSetting[])[]>;

/** A choice made at run time takes precedence over the configuration of the same level. */
export function makeReadSettings({ known, config }: ModelSettingsDeps): ReadSettings {
  return async (subjects) => {
    const keys = new Set(subjects.flatMap((each) => levelKeys(each).map(([, key]) => key)));
    const chosen = await known.find([...keys]);
    return subjects.map((subject) => [
      { level: 'agent', models: subject.own ?? [] },
      ...levelKeys(subject).map(([level, key]): ModelSetting => {
        const models = chosen(key);
        if (models.length > 0) return { level, models };
        if (level === 'role') return { level, models: config.roles[subject.role] ?? [] };
        return { level, models: level === 'instance' ? config.instance : [] };
      }),
    ]);
  };
}

export function subjectOf({ userId, ownerUserId, descriptor, models }: Agent): ModelSubject {
  return { userId, ownerUserId, role: roleOf(descriptor), ...(models ? { own: models } : {}) };
}

/** The setting that decides for each of the agents. */
export async function settingsOf(
  agents: readonly Agent[],
  read: ReadSettings,
): Promise<readonly ModelSetting[]> {
  return (await read(agents.map(subjectOf))).map(decidingSetting);
}
