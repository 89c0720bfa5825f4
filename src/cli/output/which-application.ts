/** What to do where a call is about one application and none was named: it depends on how many there are. */
import { Api } from '#cli/client.ts'
import type { Settings } from '#cli/settings/settings.ts'
import type { Terminal } from '#cli/terminal.ts'
import { harmless } from './text-width.ts'

/** Nobody waits longer for an explanation. */
const budgetMs = 2_000
const most = 200
/** So many are named. */
const named = 5

/** Null: the server does not say how many there are. */
export async function whichApplication(settings: Settings, terminal: Terminal): Promise<string | null> {
  const api = new Api({ ...settings, app: null }, terminal)
  try {
    const { data, nextCursor } = await api.call<Applications>(
      'apps.list',
      { limit: most },
      { maxRetries: 0, timeoutMs: budgetMs },
    )
    const slugs = data.filter(({ archivedAt }) => archivedAt === null).map(({ slug }) => slug)
    if (slugs.length === 0) {
      return 'The organization has no application yet: tollgate init makes one, and so does tollgate apps create <slug> --name <name>.'
    }
    const count = nextCursor === null ? String(slugs.length) : `more than ${slugs.length}`
    const shown = slugs.slice(0, named).map(harmless).join(', ')
    return `The organization has ${count} applications: ${shown}${slugs.length > named ? ', …' : ''}. Name one with --app <slug>, or keep it with tollgate use <slug>.`
  } catch {
    return null
  }
}

interface Applications {
  readonly data: readonly { readonly slug: string; readonly archivedAt: string | null }[]
  readonly nextCursor: string | null
}
