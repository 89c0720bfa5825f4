/** The first toast loads the component of toasts. */
import { lazy, Suspense, useSyncExternalStore, type ReactNode } from 'react'

const ToastCard = lazy(() => import('./toast-card.tsx').catch(() => ({ default: PlainToast })))

export interface Toast {
  /** Unique, so that each toast is shown for its full time. */
  readonly id: number
  readonly words: string
  readonly undo: (() => void) | null
}

let shown: Toast | null = null
let toasts = 0
const listeners = new Set<() => void>()

function show(next: Toast | null): void {
  shown = next
  for (const listener of listeners) listener()
}

export function toast(words: string, undo: (() => void) | null = null): void {
  show({ id: ++toasts, words, undo })
}

function close(): void {
  show(null)
}

export function Toasts(): ReactNode {
  const one = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-30 flex justify-center tablet:bottom-6"
    >
      <Suspense>{one && <ToastCard key={one.id} of={one} onClose={close} />}</Suspense>
    </div>
  )
}

function PlainToast({ of: { words } }: { readonly of: Toast }): ReactNode {
  return <p className="rounded bg-ink p-4 text-surface">{words}</p>
}
