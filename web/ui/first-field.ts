/** The first field of a form that takes text or a choice, in the order of the document. */
export function firstFieldOf(form: Element | null | undefined): HTMLElement | null {
  return form?.querySelector<HTMLElement>(fields) ?? null
}

const fields =
  'input:not([type="hidden"], [type="radio"], [type="checkbox"], [type="file"], [disabled], [readonly]), textarea, select'

/**
 * Moves the focus to the first field of a form that came into an open overlay, unless something else was focused there
 * meanwhile. In a sheet that j and k step through, the focus stays where it was when the sheet opened.
 */
export function focusInOverlay(form: HTMLElement): void {
  const overlay = form.closest('[role="dialog"]')
  const active = document.activeElement
  if (!overlay) return
  const isLost = active === null || active === document.body || active === overlay
  const isOnClose = active?.matches('[data-close]') === true && !overlay.matches('[data-steps]')
  if (isLost || isOnClose) firstFieldOf(form)?.focus()
}
