/**
 * If the focused element is removed or disabled, moves the focus to the nearest part of the page that remains.
 * Otherwise, the next press of Tab would begin at the top of the page, and screen readers would lose their place.
 */
export function keepFocus(): void {
  let path: readonly Element[] = []
  addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? withAncestors(target) : []
  })
  // A click outside of all controls removes the focus on purpose.
  addEventListener('pointerdown', () => void (path = []), true)
  const look = (): void => {
    if (path[0] === undefined || isUsable(path[0]) || hasFocus()) return
    // An overlay that closes returns the focus itself, in the meantime.
    setTimeout(() => {
      if (path[0] === undefined || isUsable(path[0]) || hasFocus()) return
      focusOn(path.find((one) => isUsable(one)) ?? document.querySelector('main'))
    }, overlayMs)
  }
  new MutationObserver(look).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  })
}

/** Overlays close within 120 ms. */
const overlayMs = 200

/** Without the document's body and the application's root element. */
function withAncestors(target: Element): Element[] {
  const all: Element[] = []
  for (let one = target; one.parentElement?.closest('body > *'); one = one.parentElement) all.push(one)
  return all
}

function isUsable(one: Element): boolean {
  return one.isConnected && !one.matches(':disabled') && one.checkVisibility()
}

function hasFocus(): boolean {
  return document.activeElement !== null && document.activeElement !== document.body
}

function focusOn(place: Element | null): void {
  if (!(place instanceof HTMLElement)) return
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: true })
}
