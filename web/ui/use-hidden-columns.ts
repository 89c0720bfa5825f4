import { useState } from 'react'

/** The browser stores the hidden columns under `name`. */
export function useHiddenColumns(
  name: string,
  columns: readonly { readonly id: string; readonly isExtra?: boolean }[],
): readonly [ReadonlySet<string>, (id: string) => void] {
  const key = `tollgate columns ${name}`
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => {
    const kept = localStorage.getItem(key)
    return new Set(
      kept === null ? columns.filter(({ isExtra }) => isExtra).map(({ id }) => id) : kept.split(' '),
    )
  })
  const toggle = (id: string): void => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    localStorage.setItem(key, [...next].join(' '))
    setHidden(next)
  }
  return [hidden, toggle]
}
