/** Which point of a chart is chosen, and which range, by keys alone: arrows step, Shift extends, Enter takes the range. */

export interface Chosen {
  /** The point that is read; null: none. */
  readonly at: number | null
  /** Where a range began; null: there is none. */
  readonly anchor: number | null
}

export const nothingChosen: Chosen = { at: null, anchor: null }

/** The range that is chosen, both ends included, or null: none is, or the points that it was of are gone. */
export function rangeOf({ anchor, at }: Chosen, count: number): readonly [number, number] | null {
  if (at === null || anchor === null || at === anchor || Math.max(at, anchor) >= count) return null
  return [Math.min(at, anchor), Math.max(at, anchor)]
}

/**
 * What is chosen after a key.
 * @param count how many points there are, at least one
 * @param isRanging Shift is held, and the chart takes ranges
 * @returns null: the key is none of the chart's
 */
export function stepped(
  chosen: Chosen,
  key: string,
  { count, isRanging }: { readonly count: number; readonly isRanging: boolean },
): Chosen | null {
  const last = count - 1
  if (key === 'Escape') return chosen.anchor === null && chosen.at === null ? null : nothingChosen
  const from = chosen.at ?? last
  const to = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageUp: from + Math.max(Math.round(count / 10), 2),
    PageDown: from - Math.max(Math.round(count / 10), 2),
    Home: 0,
    End: last,
  }[key]
  if (to === undefined) return null
  return { at: Math.min(Math.max(to, 0), last), anchor: isRanging ? (chosen.anchor ?? from) : null }
}
