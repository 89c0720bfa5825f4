/** The URL contains the application and mode, so that a link shows the same data. */
import type { Mode } from '#sdk/settings.ts'
import { useSearchText } from './url-parameters.ts'

export interface Scope {
  /** Null means the active application, or the only application. */
  readonly app: string | null
  readonly mode: Mode
}

export function useScope(): Scope {
  const [app] = useSearchText('app')
  const [mode] = useSearchText('mode')
  return { app, mode: mode === 'test' ? 'test' : 'live' }
}

export function scopeOptions({ app, mode }: Scope): { readonly app?: string; readonly mode: Mode } {
  return { mode, ...(app !== null && { app }) }
}
