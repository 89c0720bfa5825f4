/** Every value in the query is text. Null if the query lacks the parameter. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type SearchTexts = Readonly<Record<string, string | undefined>>

export function useSearchTexts(): SearchTexts {
  return useSearch({ strict: false })
}

/** Null removes a parameter. The change replaces the history entry, which suits filters. */
export function useSetSearch(): (changes: Readonly<Record<string, string | null>>, push?: boolean) => void {
  const navigate = useNavigate()
  return useCallback(
    (changes, push = false) => {
      void navigate({
        to: '.',
        replace: !push,
        resetScroll: false,
        search: (before: SearchTexts) => {
          const next: Record<string, string | undefined> = { ...before }
          for (const [name, value] of Object.entries(changes)) next[name] = value ?? undefined
          return next
        },
      })
    },
    [navigate],
  )
}

export function useSearchText(name: string): readonly [string | null, (value: string | null) => void] {
  const { [name]: value } = useSearchTexts()
  const setSearch = useSetSearch()
  return [value ?? null, useCallback((next) => setSearch({ [name]: next }), [name, setSearch])]
}
