/** While a form is sent, its overlay must stay open. Otherwise, an error or a secret in the response is never shown. */
export function isSending(overlay: HTMLElement | null): boolean {
  return Boolean(overlay?.querySelector('form[aria-busy=true]'))
}

export function firstFieldOf(form: Element | null | undefined): HTMLElement | null {
  return form?.querySelector<HTMLElement>(fields) ?? null
}

const fields =
  'input:not([type="hidden"], [type="radio"], [type="checkbox"], [type="file"], [disabled], [readonly]), textarea, select'

/** The focus stays on an element that was focused in the meantime, or if j and k open other rows. */
export function focusInOverlay(form: HTMLElement): void {
  const overlay = form.closest('[role="dialog"]')
  const active = document.activeElement
  if (!overlay) return
  const isLost = active === null || active === document.body || active === overlay
  const isOnClose = active?.matches('[data-close]') === true && !overlay.matches('[data-steps]')
  if (isLost || isOnClose) firstFocusOf(form)?.focus()
}

/** Returns the element that the form marks with `data-first-focus`, or else the first field. */
function firstFocusOf(form: Element): HTMLElement | null {
  return form.querySelector<HTMLElement>('[data-first-focus]') ?? firstFieldOf(form)
}
