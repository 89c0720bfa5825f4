import { useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type ReactNode } from 'react'
import { isHeld } from '#web/ui/hold-page.ts'

const listeners = new Set<() => void>()
let shown = location.pathname + location.search

// This listener runs before the listeners of the pages.
addEventListener('popstate', () => {
  if (isHeld()) history.pushState(null, '', shown)
  else shown = location.pathname + location.search
})

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
}

/** @param path a path of this portal; `replace` removes the current page from the history */
export function go(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  shown = path
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  tell()
  if (!replace) scrollTo(0, 0)
}

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}

/** Null or '' removes a parameter. */
export function useSearch(): readonly [
  URLSearchParams,
  (change: Readonly<Record<string, string | null>>) => void,
] {
  const text = useSyncExternalStore(subscribe, () => location.search)
  const search = useMemo(() => new URLSearchParams(text), [text])
  return [
    search,
    (change) => {
      const next = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(change)) {
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      }
      const query = next.toString()
      go(location.pathname + (query === '' ? '' : `?${query}`), { replace: true })
    },
  ]
}

/** A click does not reload the document. */
export function Go({
  children,
  to,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly to: string }): ReactNode {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        rest.onClick?.(event)
        const isPlain =
          event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        if (event.defaultPrevented || !isPlain) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
