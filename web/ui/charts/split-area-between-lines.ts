/** The area is a gain where the first line is above the second, and a loss where it is below. */

export interface GapPoint {
  readonly x: number
  /** Null interrupts the area, because no value was measured. */
  readonly upper: number | null
  readonly lower: number | null
}

export interface GapPiece {
  readonly isGain: boolean
  /** At least two, from left to right. */
  readonly points: readonly { readonly x: number; readonly upper: number; readonly lower: number }[]
}

export function gapPieces(points: readonly GapPoint[]): readonly GapPiece[] {
  const pieces: GapPiece[] = []
  let piece: { isGain: boolean | null; points: { x: number; upper: number; lower: number }[] } = {
    isGain: null,
    points: [],
  }
  const close = (): void => {
    if (piece.points.length > 1 && piece.isGain !== null)
      pieces.push({ isGain: piece.isGain, points: piece.points })
  }
  for (const { lower, upper, x } of points) {
    if (upper === null || lower === null) {
      close()
      piece = { isGain: null, points: [] }
      continue
    }
    const isGain = upper === lower ? piece.isGain : upper > lower
    if (piece.isGain !== null && isGain !== piece.isGain) {
      const crossing = crossingOf(piece.points.at(-1), { x, upper, lower })
      if (crossing) piece.points.push(crossing)
      close()
      piece = { isGain, points: crossing ? [crossing] : [] }
    }
    piece.isGain = isGain
    piece.points.push({ x, upper, lower })
  }
  close()
  return pieces
}

type Pair = GapPiece['points'][number]

function crossingOf(before: Pair | undefined, after: Pair): Pair | null {
  if (!before) return null
  const first = before.upper - before.lower
  const second = after.upper - after.lower
  const part = first / (first - second)
  const y = before.upper + (after.upper - before.upper) * part
  return { x: before.x + (after.x - before.x) * part, upper: y, lower: y }
}
