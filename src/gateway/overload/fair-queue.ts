/**
 * A queue in which organizations take turns, then their applications, then the applications' end users. The items of
 * one owner keep their order. If the queue is full, the newest item of the owner with the most items is dropped. No
 * owner can therefore block the queue for other owners.
 *
 * In one turn, an organization or an application takes one item. If many end users wait, an end user takes several
 * items (`itemsInTurn`). With one item in a turn, a second item would wait until all other end users had a second turn.
 */
export class FairQueue<T> {
  readonly #root = newBranch<T>()

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
        next = newBranch()
        branch.branches.set(name, next)
      }
      branch = next
      branch.count += 1
    }
    branch.items.push(item)
  }

  /**
   * @param isBlocked returns whether the items of an application must wait
   * @returns undefined if the queue is empty, or if all its applications are blocked
   */
  take(isBlocked: (application: string) => boolean = () => false): T | undefined {
    return takeFrom(this.#root, 0, isBlocked)
  }

  /**
   * Removes the newest item of the owner with the most items, to make room for an item of another owner. On each level,
   * the owner with the most items is chosen. Returns undefined if, with the new item, the owner of `path` would have at
   * least as many items as the chosen owner.
   */
  makeRoom(path: readonly string[]): T | undefined {
    const longest: [string, Branch<T>][] = []
    let isOther = false
    for (let branch = this.#root; branch.branches.size > 0;) {
      const found = longestOf(branch)
      const name = path[longest.length] ?? ''
      if (!isOther && found[0] !== name) {
        isOther = true
        if ((branch.branches.get(name)?.count ?? 0) + 1 >= found[1].count) return undefined
      }
      longest.push(found)
      branch = found[1]
    }
    const last = longest.at(-1)?.[1]
    if (!isOther || last === undefined) return undefined
    const item = last.items.pop()
    this.#root.count -= 1
    let parent = this.#root
    for (const [name, branch] of longest) {
      branch.count -= 1
      if (branch.count === 0) parent.branches.delete(name)
      parent = branch
    }
    return item
  }

  removeAll(isRemoved: (item: T) => boolean): T[] {
    const removed: T[] = []
    removeFrom(this.#root, isRemoved, removed)
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
  /** The number includes the items in all branches below. */
  count: number
  /** Child branches, in the order of their turns. Empty on the last level. */
  readonly branches: Map<string, Branch<T>>
  items: T[]
  /** Always 0 for a branch with child branches. */
  takenInTurn: number
}

function newBranch<T>(): Branch<T> {
  return { count: 0, branches: new Map(), items: [], takenInTurn: 0 }
}

const applicationLevel = 1

/** @param level 0 for the root, whose child branches are organizations */
function takeFrom<T>(
  branch: Branch<T>,
  level: number,
  isBlocked: (application: string) => boolean,
): T | undefined {
  if (branch.branches.size === 0) {
    if (branch.count > 0) branch.count -= 1
    return branch.items.shift()
  }
  for (const [name, next] of branch.branches) {
    if (level === applicationLevel && isBlocked(name)) continue
    const before = next.count
    const item = takeFrom(next, level + 1, isBlocked)
    if (next.count === before) continue
    branch.count -= 1
    if (next.items.length > 0 && ++next.takenInTurn < itemsInTurn(branch.branches.size)) return item
    next.takenInTurn = 0
    // A Map keeps the insertion order, so the next turn of this branch comes last.
    branch.branches.delete(name)
    if (next.count > 0) branch.branches.set(name, next)
    return item
  }
  return undefined
}

function longestOf<T>(branch: Branch<T>): [string, Branch<T>] {
  let longest: [string, Branch<T>] | undefined
  for (const one of branch.branches)
    if (longest === undefined || one[1].count > longest[1].count) longest = one
  if (longest === undefined) throw new Error('a branch without branches has no longest one')
  return longest
}

function removeFrom<T>(branch: Branch<T>, isRemoved: (item: T) => boolean, removed: T[]): void {
  const before = removed.length
  for (const [name, next] of branch.branches) {
    removeFrom(next, isRemoved, removed)
    if (next.count === 0) branch.branches.delete(name)
  }
  if (branch.items.length > 0) {
    branch.items = branch.items.filter((item) => {
      if (!isRemoved(item)) return true
      removed.push(item)
      return false
    })
  }
  branch.count -= removed.length - before
}
