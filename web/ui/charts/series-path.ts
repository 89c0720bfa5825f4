/** A path ends where no value was measured, and starts again at the next value. */

export interface PathPoint {
  readonly x: number
  readonly y: number
}

export interface PathPart {
  readonly x: number
  readonly from: number
  readonly to: number
}

/** Skips points without neighbors, which the chart draws as dots. */
export function linePath(points: readonly (PathPoint | null)[]): string {
  return runsOf(points)
    .filter((run) => run.length > 1)
    .map((run) => run.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${at(x, y)}`).join(''))
    .join('')
}

/** A part without neighbors is drawn as wide as a line. */
export function partPath(parts: readonly (PathPart | null)[]): string {
  return runsOf(parts)
    .map((run) => {
      const [only] = run
      if (run.length === 1 && only) return stepPath([only], 2)
      const there = run.map(({ to, x }, n) => `${n === 0 ? 'M' : 'L'}${at(x, to)}`)
      const back = run.toReversed().map(({ from, x }) => `L${at(x, from)}`)
      return `${[...there, ...back].join('')}Z`
    })
    .join('')
}

/** Each step is `width` wide and centered on its x. Parts without height are omitted. */
export function stepPath(parts: readonly (PathPart | null)[], width: number): string {
  return runsOf(parts.map((part) => (part && part.from !== part.to ? part : null)))
    .map((run) => {
      const there = run.flatMap(({ to, x }) => [at(x - width / 2, to), at(x + width / 2, to)])
      const back = run
        .toReversed()
        .flatMap(({ from, x }) => [at(x + width / 2, from), at(x - width / 2, from)])
      return `M${[...there, ...back].join('L')}Z`
    })
    .join('')
}

function runsOf<T>(items: readonly (T | null)[]): readonly (readonly T[])[] {
  const runs: T[][] = [[]]
  for (const item of items) {
    if (item === null) runs.push([])
    else runs.at(-1)?.push(item)
  }
  return runs.filter((run) => run.length > 0)
}

const at = (x: number, y: number): string => `${x.toFixed(2)} ${y.toFixed(2)}`
