import { ownFault, type Membership } from '@daycare/service-kit';
import type { SubuserFacts } from '../usecases/notice-draft';

const mostAtOnce = 1_000;

/** What identity tells of subusers that changes, and is therefore asked for each time. */
export function makeSubuserFacts(
  identity: Pick<Membership['identity'], 'batchGetUsers'>,
  credential: Pick<Membership['credential'], 'metadata'>,
) {
  const describeSubusers = async (
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, SubuserFacts>> => {
    const unique = [...new Set(ids)];
    if (unique.length === 0) return new Map();
    const metadata = await credential.metadata('identity');
    const batches = Array.from({ length: Math.ceil(unique.length / mostAtOnce) }, (_, index) =>
      unique.slice(index * mostAtOnce, (index + 1) * mostAtOnce),
    );
    const answers = await Promise.all(
      batches.map((userIds) => identity.batchGetUsers({ userIds }, { metadata })),
    ).catch((error: unknown) => {
      throw ownFault(error);
    });
    return new Map(
      answers.flatMap(({ users }) =>
        users.map(({ id, name, description }) => [id, { name, description }]),
      ),
    );
  };
  return {
    describeSubusers,
    describeSubuser: async (id: string) => (await describeSubusers([id])).get(id),
  };
}
