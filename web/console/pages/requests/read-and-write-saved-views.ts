import type { FilterValues } from '#web/ui/filter-suggestions.ts'

export interface SavedView {
  readonly name: string
  readonly values: FilterValues
}

const key = 'tollgate views requests'
export const viewsMax = 30

export function readViews(storage: Pick<Storage, 'getItem'>): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView) : []
  } catch {
    return []
  }
}

export function writeViews(storage: Pick<Storage, 'setItem'>, views: readonly SavedView[]): void {
  storage.setItem(key, JSON.stringify(views))
}

/** Replaces a view with the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((one, other) =>
    one.name.localeCompare(other.name),
  )
}

export function isSameView(one: FilterValues, other: FilterValues): boolean {
  const text = (values: FilterValues): string =>
    JSON.stringify(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return text(one) === text(other)
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('values' in value)) return false
  const { name, values } = value
  return (
    typeof name === 'string' &&
    typeof values === 'object' &&
    values !== null &&
    Object.values(values).every((one) => typeof one === 'string')
  )
}
