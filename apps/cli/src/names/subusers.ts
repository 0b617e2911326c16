import type { User } from '@daycare/contracts/identity';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import type { Named } from './pick';

export function listSubusers(
  { identity }: Pick<Session, 'identity'>,
  limit?: number,
): Promise<User[]> {
  return collect(limit, async (page) => {
    const { subusers: items, nextPageToken } = await identity.listSubusers(page);
    return { items, nextPageToken };
  });
}

export function subuserNames({ id, name, nametag }: User): Named {
  return { id, names: [name, nametag] };
}
