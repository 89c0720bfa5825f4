/** The shortcuts do not work while the user types, or if they are turned off (WCAG 2.1.4). */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { pages } from '../pages.ts'

const key = 'tollgate shortcuts'

export function areShortcutsOn(): boolean {
  return localStorage.getItem(key) !== 'off'
}
export function setShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(key)
  else localStorage.setItem(key, 'off')
}

/** ⌘K opens the command bar, `/` focuses the filter, `j` focuses the first row, and `g` with a letter opens a page. */
export function useShortcuts(openBar: () => void): void {
  const navigate = useNavigate()
  const open = useEffectEvent(openBar)
  useEffect(() => {
    let wasG = false
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open()
        return
      }
      const isTyping =
        event.target instanceof HTMLElement &&
        (event.target.isContentEditable || event.target.matches('input, textarea, select'))
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey || !areShortcutsOn()) return
      // A toast is a dialog too, but not a modal one.
      if (document.querySelector('[role="dialog"]:not([aria-modal="false"])')) return
      const page = wasG ? pages.find((one) => one.key === event.key) : undefined
      wasG = event.key === 'g' && !page
      if (page) void navigate({ to: page.path })
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLElement>('[data-filter]')
        if (!filter) return
        event.preventDefault()
        filter.focus()
      } else if (event.key === 'j' && !event.defaultPrevented) {
        // Lists handle Enter and arrow keys themselves.
        if (event.target instanceof Element && event.target.closest('tbody')) return
        document.querySelector<HTMLElement>('main [data-opens]')?.focus()
      }
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [navigate])
}
