/**
 * While a change is being saved, or a dialog shows a secret once, the page is held. The browser's back button then has
 * no effect, and the browser asks the user before a reload. While the change is being saved, links have no effect
 * either.
 */
import { useLayoutEffect } from 'react'

let holds = 0
let blockBack = (): (() => void) => () => {}
let unblockBack = (): void => {}
const waiting = new Set<() => void>()

function stay(event: Event): void {
  event.preventDefault()
}

export function isHeld(): boolean {
  return holds > 0
}

/** @param block is called when the page is held, and returns a function that is called when the page is released */
export function onHold(block: () => () => void): void {
  blockBack = block
}

export function useHold(isOn: boolean): void {
  // A passive effect would run after the request is sent.
  useLayoutEffect(() => {
    if (!isOn) return
    if (++holds === 1) {
      addEventListener('beforeunload', stay)
      unblockBack = blockBack()
    }
    return () => {
      if (--holds > 0) return
      removeEventListener('beforeunload', stay)
      unblockBack()
      // The dialog with a new secret replaces the form, and holds the page right after the form.
      setTimeout(runWaiting)
    }
  }, [isOn])
}

/** Runs the function immediately if the page is not held. */
export function whenReleased(run: () => void): void {
  waiting.add(run)
  runWaiting()
}

function runWaiting(): void {
  if (isHeld()) return
  for (const run of waiting) run()
  waiting.clear()
}
