/**
 * The ID of the key whose secret is shown. If the page is reloaded before the end user confirms that the secret is
 * saved, the list of keys says so. The tab keeps the ID, because a phone can close a page without asking.
 */
const name = 'unsaved secret'

export function keepUnsaved(id: string): void {
  try {
    sessionStorage.setItem(name, id)
  } catch {
    // Without storage, the list of keys can't name the key.
  }
}

export function forgetUnsaved(): void {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Without storage, nothing was kept.
  }
}

export function unsavedKey(): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}
