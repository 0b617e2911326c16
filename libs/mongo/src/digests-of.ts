import type { Db, Document } from 'mongodb';

/** Which documents of a collection to digest, and which value of each. */
export interface DigestPart {
  readonly collection: string;
  readonly filter: Document;
  /** An aggregation expression; changes to anything else go unnoticed. */
  readonly value: unknown;
}

export interface PartDigest {
  /** How many documents match. */
  readonly count: number;
  /** Changes whenever `value` changes for a matching document, or the set of matching documents changes. */
  readonly digest: string;
}

/** Small enough that sums over millions of documents are exact. */
const modulus = 2 ** 31;

/**
 * Returns one digest per part, in the given order. Comparing digests detects changes to long lists, from any number
 * of collections, with one query and without transferring the lists.
 */
export async function digestsOf<const P extends readonly [DigestPart, ...DigestPart[]]>(
  db: Db,
  parts: P,
): Promise<{ [N in keyof P]: PartDigest }> {
  const [first, ...others] = parts.map(pipelineOf) as [PartPipeline, ...PartPipeline[]];
  const unions = others.map(({ collection: coll, pipeline }) => ({
    $unionWith: { coll, pipeline },
  }));
  const groups = await db
    .collection(first.collection)
    .aggregate<{ _id: number; count: number; sum: unknown }>([...first.pipeline, ...unions])
    .toArray();
  return parts.map((_, part) => {
    const { count, sum } = groups.find(({ _id }) => _id === part) ?? { count: 0, sum: 0 };
    return { count, digest: `${count}-${String(sum)}` };
  }) as { [N in keyof P]: PartDigest };
}

interface PartPipeline {
  readonly collection: string;
  readonly pipeline: Document[];
}

function pipelineOf({ collection, filter, value }: DigestPart, part: number): PartPipeline {
  const hash = { $abs: { $mod: [{ $toHashedIndexKey: value }, modulus] } };
  const sums = { count: { $sum: 1 }, sum: { $sum: hash } };
  return { collection, pipeline: [{ $match: filter }, { $group: { _id: part, ...sums } }] };
}
