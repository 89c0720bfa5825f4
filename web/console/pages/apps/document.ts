/** A document with the configuration of an application, and its changes. */
import type { ConfigurationChange } from '#sdk/generated/types.ts'

/** @returns a sentence if the text is no such document */
export function documentOf(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return 'Paste the document, or choose a file.'
  try {
    const parsed = JSON.parse(text) as unknown
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
    return 'It is JSON, but no object with the parts of a configuration.'
  } catch (error) {
    return `It is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`
  }
}

export const actionWords: Readonly<Record<string, string>> = {
  create: 'Makes',
  update: 'Changes',
  remove: 'Removes',
  none: 'Leaves, since the document does not have it:',
}

/** `2 made, 1 changed, 3 stay that the document does not have`. */
export function summaryOf(changes: readonly Pick<ConfigurationChange, 'action'>[]): string {
  const count = (action: string): number => changes.filter((one) => one.action === action).length
  const stay = count('none')
  const parts = [
    count('create') > 0 && `${count('create')} made`,
    count('update') > 0 && `${count('update')} changed`,
    count('remove') > 0 && `${count('remove')} removed`,
    stay > 0 && `${stay} ${stay === 1 ? 'stays' : 'stay'} that the document does not have`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return 'Nothing differs: the application is what the document says.'
  return parts.join(', ')
}
