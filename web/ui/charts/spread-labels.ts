/**
 * Labels are at least `gap` apart, in the order of the lines, and as close to their lines as possible. Null if the
 * labels do not fit.
 */
export function spreadLabels(
  wanted: readonly number[],
  { from, gap, to }: { readonly from: number; readonly to: number; readonly gap: number },
): readonly number[] | null {
  if ((wanted.length - 1) * gap > to - from) return null
  const order = wanted.map((at, n) => ({ at, n })).toSorted((a, b) => a.at - b.at || a.n - b.n)
  const places: number[] = []
  for (const { at } of order) places.push(Math.max(at, (places.at(-1) ?? from - gap) + gap))
  let ceiling = to
  for (let n = places.length - 1; n >= 0; n--) {
    places[n] = Math.min(places[n] ?? 0, ceiling)
    ceiling = (places[n] ?? 0) - gap
  }
  const placed: number[] = wanted.map(() => 0)
  for (const [n, { n: original }] of order.entries()) placed[original] = places[n] ?? 0
  return placed
}
