/** Below the number of requests of one caller that may wait for a read (`readLimits`), so that none is rejected. */
const groupSize = 16

/** Creates a key for each end user, a few at a time. */
export async function createKeysInGroups<T>(
  endUsers: readonly string[],
  create: (endUserId: string) => Promise<T>,
): Promise<T[]> {
  const keys: T[] = []
  for (let at = 0; at < endUsers.length; at += groupSize) {
    // oxlint-disable-next-line no-await-in-loop -- one group after the other
    keys.push(...(await Promise.all(endUsers.slice(at, at + groupSize).map(create))))
  }
  return keys
}
