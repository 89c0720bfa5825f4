/**
 * The applications of the organization. They are known before a page is shown: without one there is nothing that most
 * pages could be about, and among several the address must say which.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { Application } from '#sdk/generated/types.ts'
import { allRowsQuery } from './all-rows.ts'
import { sessionQuery } from './session.ts'

export const applicationsQuery = allRowsQuery('apps.list', {}, { app: null, mode: 'live' })

/** Those that answer calls, newest first. */
export function openApplications(rows: readonly Application[]): readonly Application[] {
  return rows.filter(({ archivedAt }) => archivedAt === null)
}

/**
 * The application that an address which names none is about.
 * @returns null: the server knows by itself, since there is one at most; or cannot be asked now
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
    // The page says what is wrong with the server, at each place that asks it.
    return null
  }
}
