/**
 * Counts all events and the marked events, such as failed calls, of the last minute. The counts have six slots of ten
 * seconds. The newest slot is in progress, so the counts cover 50 to 60 seconds. Exact counts would need the time of
 * every call, and would not change any decision.
 */
export interface SlidingCounts {
  /** The newest slot, as the number of slots since 1970. */
  readonly slot: number
  /** Indexed by slot number modulo six. */
  readonly all: readonly number[]
  /** Indexed like `all`. */
  readonly marked: readonly number[]
}

const slotMs = 10_000
const slots = 6
const zeros: readonly number[] = Array.from({ length: slots }, () => 0)

export const noCounts: SlidingCounts = { slot: 0, all: zeros, marked: zeros }

/**
 * If the clock was set back by less than a minute, the event counts in the newest slot. If the clock was set back
 * further, earlier events no longer count, because the newest slot would otherwise cover the whole difference.
 */
export function counted(
  counts: SlidingCounts,
  event: { readonly all: 0 | 1; readonly marked: 0 | 1 },
  nowMs: number,
): SlidingCounts {
  const { slot, all, marked } = movedTo(counts, nowMs)
  return {
    slot,
    all: event.all === 0 ? all : withOneMore(all, slot % slots),
    marked: event.marked === 0 ? marked : withOneMore(marked, slot % slots),
  }
}

export function sums(
  counts: SlidingCounts,
  nowMs: number,
): { readonly all: number; readonly marked: number } {
  const { all, marked } = movedTo(counts, nowMs)
  return { all: sum(all), marked: sum(marked) }
}

function movedTo(counts: SlidingCounts, nowMs: number): SlidingCounts {
  const current = Math.floor(nowMs / slotMs)
  if (counts.slot - current >= slots) return { slot: current, all: zeros, marked: zeros }
  const slot = Math.max(counts.slot, current)
  if (slot === counts.slot) return counts
  if (slot - counts.slot >= slots) return { slot, all: zeros, marked: zeros }
  const all = counts.all.slice()
  const marked = counts.marked.slice()
  for (let passed = counts.slot + 1; passed <= slot; passed++) {
    all[passed % slots] = 0
    marked[passed % slots] = 0
  }
  return { slot, all, marked }
}

function withOneMore(counts: readonly number[], at: number): readonly number[] {
  const copy = counts.slice()
  copy[at] = (copy[at] ?? 0) + 1
  return copy
}

function sum(counts: readonly number[]): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
