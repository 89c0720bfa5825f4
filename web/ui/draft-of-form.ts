/**
 * A draft contains only the fields that the user has changed. When the form is opened again, all other fields have the
 * current values. Otherwise, a draft would restore values that another member has changed since, and saving the form
 * would undo that member's change.
 */
export type FormValues = Readonly<Record<string, string | boolean>>

/** @param scope drafts of different scopes are separate */
export function draftKey(scope: string, draft: string): string {
  return `${prefix}${JSON.stringify([scope, draft])}`
}

/** Deletes the drafts of all forms. Otherwise, the next user of the browser tab could read them. */
export function deleteDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  }
}

const prefix = 'tollgate draft '

/** Null if the user has changed nothing. */
export function draftText<V extends FormValues>(values: V, initial: V): string | null {
  const changed = Object.entries(values).filter(([name, value]) => initial[name] !== value)
  return changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed))
}

/** Ignores a draft that cannot be read. */
export function valuesWithDraft<V extends FormValues>(initial: V, text: string | null): V {
  try {
    return { ...initial, ...(JSON.parse(text ?? '{}') as Partial<V>) }
  } catch {
    return initial
  }
}
