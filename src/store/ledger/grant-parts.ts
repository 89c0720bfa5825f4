/** Number of end users credited in one operation of a large grant. */
const partMax = 256

/** Returns whether the grant has so many end users that it takes several operations. */
export function isLargeGrant(endUserIds: readonly string[]): boolean {
  return endUserIds.length > partMax
}

/**
 * Splits the end users of a grant into parts, in the order of the list. `done` is the number of end users who are
 * credited after the part, or null after the last part.
 * @param from the number of end users who are already credited
 */
export function* partsOfGrant(
  endUserIds: readonly string[],
  from: number,
): Generator<{ readonly part: readonly string[]; readonly done: number | null }> {
  for (let at = from; at < endUserIds.length; at += partMax) {
    const part = endUserIds.slice(at, at + partMax)
    const end = at + part.length
    yield { part, done: end === endUserIds.length ? null : end }
  }
}
