/** What has just been done, with its undo, for ten seconds. Never the only trace of an error. */
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { CloseIcon } from '#web/ui/icons.tsx'

interface Toast {
  readonly words: string
  readonly undo: (() => void) | null
}

let shown: Toast | null = null
const listeners = new Set<() => void>()

function show(next: Toast | null): void {
  shown = next
  for (const listener of listeners) listener()
}

/** @param undo takes it back */
export function toast(words: string, undo: (() => void) | null = null): void {
  show({ words, undo })
}

export function Toasts(): ReactNode {
  const one = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (one === null || isHeld) return
    const timer = setTimeout(() => show(null), one.undo ? 10_000 : 5000)
    return () => clearTimeout(timer)
  }, [one, isHeld])
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-30 flex justify-center tablet:bottom-6"
      // It stays while somebody is at it.
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {one && (
        <div className="pointer-events-auto flex min-h-12 w-full max-w-portal items-center gap-1 rounded bg-ink pl-4 text-surface shadow-float">
          <p className="min-w-0 flex-1 py-3 text-14 wrap-anywhere">{one.words}</p>
          {one.undo && (
            <button
              type="button"
              className="h-12 rounded px-4 font-medium underline"
              onClick={() => {
                show(null)
                one.undo?.()
              }}
            >
              Undo
            </button>
          )}
          <IconButton
            label="Close this message"
            className="size-12 text-surface hover:bg-transparent hover:text-surface"
            onClick={() => show(null)}
          >
            <CloseIcon />
          </IconButton>
        </div>
      )}
    </div>
  )
}
