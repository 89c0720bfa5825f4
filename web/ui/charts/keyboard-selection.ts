/** Arrow keys move the selected point, Shift extends the range, and Enter applies the range. */

export interface Chosen {
  readonly at: number | null
  /** Null if no range is selected. */
  readonly anchor: number | null
}

export const nothingChosen: Chosen = { at: null, anchor: null }

/** Includes both ends. Null if no range is selected, or if its points no longer exist. */
export function rangeOf({ anchor, at }: Chosen, count: number): readonly [number, number] | null {
  if (at === null || anchor === null || at === anchor || Math.max(at, anchor) >= count) return null
  return [Math.min(at, anchor), Math.max(at, anchor)]
}

/**
 * @param isRanging whether Shift is held and the chart accepts ranges
 * @returns null if the chart does not use the key
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
