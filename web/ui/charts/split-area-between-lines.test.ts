import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gapPieces, type GapPiece } from './split-area-between-lines.ts'

/** Positive for gains and negative for losses. */
const areaOf = ({ points }: GapPiece): number =>
  points.slice(1).reduce((sum, point, n) => {
    const before = points[n] ?? point
    return sum + ((point.upper - point.lower + before.upper - before.lower) / 2) * (point.x - before.x)
  }, 0)

const someLines = fc
  .array(
    fc.option(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 })), { freq: 6 }),
    {
      maxLength: 40,
    },
  )
  .map((pairs) => pairs.map((pair, n) => ({ x: n * 10, upper: pair?.[0] ?? null, lower: pair?.[1] ?? null })))

describe('the area between two lines', () => {
  it('the pieces together cover the whole area, and each piece is either a gain or a loss', () => {
    fc.assert(
      fc.property(someLines, (points) => {
        const pieces = gapPieces(points)
        let sum = 0
        for (const piece of pieces) {
          for (const { lower, upper } of piece.points) {
            if (piece.isGain) expect(upper).toBeGreaterThanOrEqual(lower)
            else expect(upper).toBeLessThanOrEqual(lower)
          }
          sum += areaOf(piece)
        }
        let enclosed = 0
        for (const [n, point] of points.entries()) {
          const before = points[n - 1]
          if (!before || before.upper === null || before.lower === null) continue
          if (point.upper === null || point.lower === null) continue
          enclosed += (point.upper - point.lower + before.upper - before.lower) * 5
        }
        expect(sum).toBeCloseTo(enclosed, 6)
      }),
      { numRuns: 1000 },
    )
  })

  it('a gain ends where the lines cross', () => {
    const pieces = gapPieces([
      { x: 0, upper: 4, lower: 0 },
      { x: 10, upper: 0, lower: 4 },
    ])
    expect(pieces).toEqual([
      {
        isGain: true,
        points: [
          { x: 0, upper: 4, lower: 0 },
          { x: 5, upper: 2, lower: 2 },
        ],
      },
      {
        isGain: false,
        points: [
          { x: 5, upper: 2, lower: 2 },
          { x: 10, upper: 0, lower: 4 },
        ],
      },
    ])
  })
})
