import type { ConfigurationChange } from '#sdk/generated/types.ts'

export function documentOf(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return 'Paste the document, or choose a file.'
  try {
    const parsed = JSON.parse(text) as unknown
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
    return 'The document must be a JSON object, such as an exported configuration.'
  } catch (error) {
    return `The document is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}.`
  }
}

export const actionWords: Readonly<Record<string, string>> = {
  create: 'Creates',
  update: 'Updates',
  remove: 'Deletes',
  none: 'Kept, because the document does not contain these items:',
}

export function summaryOf(changes: readonly Pick<ConfigurationChange, 'action'>[]): string {
  const count = (action: string): number => changes.filter((one) => one.action === action).length
  const stay = count('none')
  const parts = [
    count('create') > 0 && `${count('create')} created`,
    count('update') > 0 && `${count('update')} updated`,
    count('remove') > 0 && `${count('remove')} deleted`,
    stay > 0 && `${stay} kept because ${stay === 1 ? 'it is' : 'they are'} not in the document`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return 'No changes. The application already matches the document.'
  return parts.join(', ')
}
