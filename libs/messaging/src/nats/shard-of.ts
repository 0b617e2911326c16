const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/**
 * Returns a user's shard, from 0 to `shards` - 1: always the same one, on every machine. Changing `shards` moves
 * users to other shards, so all services of an installation must use the same number.
 */
export function shardOf(userId: string, shards: number): number {
  return mix(hash(userId)) % shards;
}

/** FNV-1a over the UTF-8 bytes. */
function hash(text: string): number {
  let value = fnvOffset;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, fnvPrime);
  return value;
}

/** FNV's low bits depend on few input bits; this spreads all of them (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
