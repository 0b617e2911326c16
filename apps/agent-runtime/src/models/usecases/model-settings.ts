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

/** Returns each subject's choices at all levels, most specific first; reads all unknown choices in one query. */
export type ReadSettings = (
  subjects: readonly ModelSubject[],
) => Promise<readonly (readonly ModelSetting[])[]>;

/** At each level, a choice made at run time takes precedence over the configuration. */
export function makeReadSettings({ known, config }: ModelSettingsDeps): ReadSettings {
  return async (subjects) => {
    const keys = new Set(subjects.flatMap((each) => levelKeys(each).map(([, key]) => key)));
    const chosen = await known.find([...keys]);
    return subjects.map((subject) => [
      { level: 'agent', models: subject.ownModels ?? [] },
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
  const ownChoice = models ? { ownModels: models } : {};
  return { userId, ownerUserId, role: roleOf(descriptor), ...ownChoice };
}

/** Returns the setting that decides for each agent. */
export async function settingsOf(
  agents: readonly Agent[],
  read: ReadSettings,
): Promise<readonly ModelSetting[]> {
  return (await read(agents.map(subjectOf))).map(decidingSetting);
}
