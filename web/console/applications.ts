/**
 * Most pages need an application, so applications are loaded before a page is shown. If the organization has several,
 * the URL must name one.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { Application } from '#sdk/generated/types.ts'
import { allRowsQuery } from './load-all-rows.ts'
import { sessionQuery } from './sign-in/member-session.ts'

export const applicationsQuery = allRowsQuery('apps.list', {}, { app: null, mode: 'live' })

export function openApplications(rows: readonly Application[]): readonly Application[] {
  return rows.filter(({ archivedAt }) => archivedAt === null)
}

/** The name of an application, with its slug if another application has the same name. */
export function applicationWords(
  { name, slug }: Pick<Application, 'name' | 'slug'>,
  all: readonly Pick<Application, 'name' | 'slug'>[],
): string {
  return all.some((one) => one.name === name && one.slug !== slug) ? `${name} (${slug})` : name
}

/**
 * @returns null if the server chooses the application, because the organization has at most one, or if the server is
 *   unavailable
 */
export async function impliedApplication(queries: QueryClient): Promise<string | null> {
  try {
    const { rows } = await queries.ensureQueryData(applicationsQuery)
    const open = openApplications(rows)
    if (open.length < 2) return null
    const session = await queries.ensureQueryData(sessionQuery)
    const active = open.find(({ slug }) => slug === session?.activeApplication)
    return (active ?? open[0])?.slug ?? null
  } catch {
    // The page itself reports the server's error when it loads data.
    return null
  }
}
