/**
 * A queue in which organizations take turns, then their applications, then the applications' end users. The items of
 * one owner keep their order. If the queue is full, the newest item of the owner with the most items is dropped. No
 * owner can therefore block the queue for other owners.
 *
 * In one turn, an organization or an application takes one item. If many end users wait, an end user takes several
 * items (`itemsInTurn`). With one item in a turn, a second item would wait until all other end users had a second turn.
 *
 * Each branch groups its owners by their number of items. The owner with the most items is therefore found without a
 * look at every owner. In an overload, the queue is full and decides for each arriving request which item to drop.
 */
export class FairQueue<T> {
  readonly #root = newBranch<T>('')

  get length(): number {
    return this.#root.count
  }

  /**
   * @param path the owner on each level, from organization to end user; all paths of a queue have the same number of
   *   levels
   */
  add(path: readonly string[], item: T): void {
    let branch = this.#root
    branch.count += 1
    for (const name of path) {
      let next = branch.branches.get(name)
      if (next === undefined) {
        next = newBranch(name)
        branch.branches.set(name, next)
      }
      changeCount(branch, next, 1)
      branch = next
    }
    branch.items.push(item)
  }

  /**
   * @param isBlocked returns whether the items of an application must wait
   * @returns undefined if the queue is empty, or if all its applications are blocked
   */
  take(isBlocked: (application: string) => boolean = () => false): T | undefined {
    const item = takeFrom(this.#root, 0, isBlocked)
    if (item !== undefined) this.#root.count -= 1
    return item
  }

  /**
   * Removes the newest item of the owner with the most items, to make room for an item of another owner. On each level,
   * the owner with the most items is chosen, and preferably the owner of `path`. Returns undefined if, with the new item,
   * the owner of `path` would have at least as many items as the chosen owner.
   */
  makeRoom(path: readonly string[]): T | undefined {
    const longest: Branch<T>[] = []
    let isOther = false
    for (let branch = this.#root; branch.branches.size > 0;) {
      const own = isOther ? undefined : branch.branches.get(path[longest.length] ?? '')
      const found = own?.count === branch.childCountMax ? own : longestOf(branch)
      if (!isOther && found !== own) {
        isOther = true
        if ((own?.count ?? 0) + 1 >= found.count) return undefined
      }
      longest.push(found)
      branch = found
    }
    const last = longest.at(-1)
    if (!isOther || last === undefined) return undefined
    const item = last.items.pop()
    this.#root.count -= 1
    let parent = this.#root
    for (const branch of longest) {
      changeCount(parent, branch, -1)
      if (branch.count === 0) parent.branches.delete(branch.name)
      parent = branch
    }
    return item
  }

  removeAll(isRemoved: (item: T) => boolean): T[] {
    const removed: T[] = []
    this.#root.count -= removeFrom(this.#root, isRemoved, removed)
    return removed
  }
}

/**
 * Number of items that one end user takes in a turn. With few end users, rounds are short and a turn is one item. With
 * many end users, a turn has at most about an eighth as many items as there are end users.
 */
export function itemsInTurn(endUsers: number): number {
  return Math.max(1, Math.min(itemsInTurnMax, Math.floor(endUsers / 8)))
}

/** Programs of end users often send this many requests together. */
const itemsInTurnMax = 8

interface Branch<T> {
  readonly name: string
  /** The number includes the items in all branches below. */
  count: number
  /** Child branches, in the order of their turns. Empty on the last level. */
  readonly branches: Map<string, Branch<T>>
  /** The child branches with items, by their `count`. Contains no empty sets. */
  readonly byCount: Map<number, Set<Branch<T>>>
  /** The greatest `count` of a child branch. 0 if no child branch has items. */
  childCountMax: number
  items: T[]
  /** Always 0 for a branch with child branches. */
  takenInTurn: number
}

function newBranch<T>(name: string): Branch<T> {
  return {
    name,
    count: 0,
    branches: new Map(),
    byCount: new Map(),
    childCountMax: 0,
    items: [],
    takenInTurn: 0,
  }
}

/** Takes constant time for a change by 1. */
function changeCount<T>(parent: Branch<T>, branch: Branch<T>, change: number): void {
  const { byCount } = parent
  const before = byCount.get(branch.count)
  const wasAlone = before?.size === 1
  if (wasAlone) byCount.delete(branch.count)
  branch.count += change
  const same = byCount.get(branch.count)
  if (wasAlone && same === undefined && branch.count > 0) {
    // Most branches are alone with their count, and keep their set.
    byCount.set(branch.count, before)
  } else {
    before?.delete(branch)
    if (same !== undefined) same.add(branch)
    else if (branch.count > 0) byCount.set(branch.count, new Set([branch]))
  }
  parent.childCountMax = Math.max(parent.childCountMax, branch.count)
  while (parent.childCountMax > 0 && !byCount.has(parent.childCountMax)) parent.childCountMax -= 1
}

const applicationLevel = 1

/** @param level 0 for the root, whose child branches are organizations */
function takeFrom<T>(
  branch: Branch<T>,
  level: number,
  isBlocked: (application: string) => boolean,
): T | undefined {
  if (branch.branches.size === 0) return branch.items.shift()
  for (const [name, next] of branch.branches) {
    if (level === applicationLevel && isBlocked(name)) continue
    const item = takeFrom(next, level + 1, isBlocked)
    if (item === undefined) continue
    changeCount(branch, next, -1)
    if (next.items.length > 0 && ++next.takenInTurn < itemsInTurn(branch.branches.size)) return item
    next.takenInTurn = 0
    // A Map keeps the insertion order, so the next turn of this branch comes last.
    branch.branches.delete(name)
    if (next.count > 0) branch.branches.set(name, next)
    return item
  }
  return undefined
}

function longestOf<T>({ byCount, childCountMax }: Branch<T>): Branch<T> {
  for (const one of byCount.get(childCountMax) ?? []) return one
  throw new Error('a branch without branches has no longest one')
}

/** Returns the number of removed items. The caller subtracts the number from the count of `branch`. */
function removeFrom<T>(branch: Branch<T>, isRemoved: (item: T) => boolean, removed: T[]): number {
  const before = removed.length
  for (const [name, next] of branch.branches) {
    changeCount(branch, next, -removeFrom(next, isRemoved, removed))
    if (next.count === 0) branch.branches.delete(name)
  }
  if (branch.items.length > 0) {
    branch.items = branch.items.filter((item) => {
      if (!isRemoved(item)) return true
      removed.push(item)
      return false
    })
  }
  return removed.length - before
}
