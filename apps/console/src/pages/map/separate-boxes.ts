/** A circle and the label below it, as one rectangle; `x` and `y` are the centre of the circle. */
export interface Box {
  x: number;
  y: number;
  /** Set for a box that must not be moved. */
  readonly fx?: number | null | undefined;
  readonly halfWidth: number;
  readonly above: number;
  readonly below: number;
}

/**
 * Moves overlapping boxes apart, each pair along the axis on which it overlaps less, by the fraction `strength` of that
 * overlap. Returns whether any boxes overlapped. Call it repeatedly, because a moved box may overlap a third one.
 */
export function separateBoxes(boxes: readonly Box[], strength = 1): boolean {
  const sorted = [...boxes].sort((one, other) => one.x - other.x);
  const widest = Math.max(0, ...boxes.map(({ halfWidth }) => halfWidth));
  let hasOverlaps = false;
  for (const [index, one] of sorted.entries())
    for (const other of sorted.slice(index + 1)) {
      if (other.x - one.x > one.halfWidth + widest) break;
      hasOverlaps = separate(one, other, strength) || hasOverlaps;
    }
  return hasOverlaps;
}

function separate(one: Box, other: Box, strength: number): boolean {
  const overlapX = one.halfWidth + other.halfWidth - Math.abs(other.x - one.x);
  const isBelow = other.y >= one.y;
  const [upper, lower] = isBelow ? [one, other] : [other, one];
  const overlapY = upper.below + lower.above - (lower.y - upper.y);
  if (overlapX <= 0 || overlapY <= 0) return false;
  if (overlapX < overlapY)
    move(one, other, 'x', (other.x >= one.x ? overlapX : -overlapX) * strength);
  else move(one, other, 'y', (isBelow ? overlapY : -overlapY) * strength);
  return true;
}

/** Moves each box by half the distance, or one by the whole distance if the other is fixed. */
function move(one: Box, other: Box, axis: 'x' | 'y', by: number): void {
  const isOneFixed = typeof one.fx === 'number';
  const isOtherFixed = typeof other.fx === 'number';
  if (!isOneFixed) one[axis] -= isOtherFixed ? by : by / 2;
  if (!isOtherFixed) other[axis] += isOneFixed ? by : by / 2;
}
