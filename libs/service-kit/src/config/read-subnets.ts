import { parseSubnet, type Subnet } from '@daycare/rpc';
import type { EnvReader } from './env-reader';

export interface SubnetsSpec {
  readonly about: string;
  /** The list that applies if the variable is not set; by default an empty one. */
  readonly default?: string;
}

/** Reads a list of addresses and subnets. If the default is not empty, the word `none` gives an empty list. */
export function readSubnets(env: EnvReader, name: string, spec: SubnetsSpec): Subnet[] {
  const orNone = spec.default ? ', or the word none' : '';
  const takes = `addresses or subnets, separated by commas, e.g. 10.0.0.0/8${orNone}`;
  const text = env.text(name, { default: '', takes, ...spec });
  if (spec.default && text === 'none') return [];
  return text.split(',').flatMap((entry) => {
    if (entry.trim() === '') return [];
    const subnet = parseSubnet(entry);
    if (!subnet) env.problem(`${name} contains "${entry.trim()}", but takes ${takes}`);
    return subnet ?? [];
  });
}
