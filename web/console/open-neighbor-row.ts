export function stepper<T>(
  rows: readonly T[] | undefined,
  keyOf: (row: T) => string,
  open: string,
  go: (key: string) => void,
): (by: 1 | -1) => void {
  return (by) => {
    const at = rows?.findIndex((row) => keyOf(row) === open) ?? -1
    const next = at === -1 ? undefined : rows?.[at + by]
    if (next !== undefined) go(keyOf(next))
  }
}
