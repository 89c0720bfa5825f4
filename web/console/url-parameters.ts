/**
 * Every value in the query is text. Null if the query lacks the parameter.
 *
 * Some parameters open a sheet, a dialog or a form. Opening one adds a history entry, so that the back button closes
 * it. Closing one returns to the entry below. A replaced entry would equal the entry below, and the next press of the
 * back button would seem to do nothing.
 */
import { useRouter, useSearch, type AnyRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

export type SearchTexts = Readonly<Record<string, string | undefined>>
type SearchChanges = Readonly<Record<string, string | null>>

const openers: readonly string[] = ['act', 'open', 'plan', 'published']

/** Parameters that links to other pages keep. */
export const keptParameters: readonly string[] = ['app', 'mode', 'range', 'from', 'to']

/** Parameters of the place in which a form is open. A form is lost if one of them changes. */
export const placeParameters: readonly string[] = ['app', 'mode', 'tab', ...openers]

export function useSearchTexts(): SearchTexts {
  return useSearch({ strict: false })
}

/** Null removes a parameter. A change that opens nothing replaces the history entry, which suits filters. */
export function useSetSearch(): (changes: SearchChanges, push?: boolean) => void {
  const router = useRouter()
  return useCallback((changes, push = false) => setSearch(router, changes, push), [router])
}

export function useSearchText(name: string): readonly [string | null, (value: string | null) => void] {
  const { [name]: value } = useSearchTexts()
  const set = useSetSearch()
  return [value ?? null, useCallback((next) => set({ [name]: next }), [name, set])]
}

/** Changes that wait until the browser has returned to an earlier entry. Null if it is not returning. */
let waiting: (() => void)[] | null = null

const returnMsMax = 1_000

function setSearch(router: AnyRouter, changes: SearchChanges, push: boolean): void {
  if (waiting !== null) return void waiting.push(() => setSearch(router, changes, push))
  const { href, search: shown, state } = router.latestLocation
  const { below = [], scrollKey } = state
  const search = (before: SearchTexts): SearchTexts => {
    const next: Record<string, string | undefined> = { ...before }
    for (const [name, value] of Object.entries(changes)) next[name] = value ?? undefined
    return next
  }
  const isShown = (name: string): boolean => shown[name] !== undefined
  const opens = openers.some((name) => typeof changes[name] === 'string' && !isShown(name))
  const closes = openers.some((name) => changes[name] === null && isShown(name))
  const isNew = opens && !closes
  const change = (): void =>
    void router.navigate({
      to: '.',
      replace: !push && !isNew,
      resetScroll: false,
      search,
      ...(!push && {
        state: isNew ? { below: [...below, href], scrollKey: scrollKey ?? state.key } : true,
      }),
    })
  if (closes && !opens) {
    const at = below.lastIndexOf(router.buildLocation({ to: '.', search }).href)
    if (at >= 0) return returnTo(router, at - below.length, change)
  }
  change()
}

/** @param otherwise called if the browser has dropped the entry. It then sends no event. */
function returnTo(router: AnyRouter, delta: number, otherwise: () => void): void {
  waiting = []
  const end = (): void => {
    removeEventListener('popstate', end)
    clearTimeout(limit)
    const changes = waiting ?? []
    waiting = null
    for (const change of changes) change()
  }
  const limit = setTimeout(() => {
    waiting?.unshift(otherwise)
    end()
  }, returnMsMax)
  // The router's listener runs first.
  addEventListener('popstate', end)
  // A form closes itself before it has released the page.
  router.history.go(delta, { ignoreBlocker: true })
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** URLs of the page's entries directly below the entry. */
    readonly below?: readonly string[]
    /** Entries of the same page share their scroll position. */
    readonly scrollKey?: string | undefined
  }
}
