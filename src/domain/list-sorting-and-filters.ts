/**
 * A page starts after the last row of the previous page, which is identified by its value and ID. A row whose value
 * does not change is therefore listed exactly once, even if other rows change between two pages.
 */
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { Page, Position } from './list-page.ts'

export const directions = ['asc', 'desc'] as const

export const endUserSorts = ['created', 'name', 'balance', 'spent', 'last_seen'] as const
export type EndUserSort = (typeof endUserSorts)[number]

export const keySorts = ['created', 'name', 'spent', 'last_used'] as const
export type KeySort = (typeof keySorts)[number]

export const namedSorts = ['created', 'name'] as const
export type NamedSort = (typeof namedSorts)[number]

export interface Sorting<By extends string> {
  readonly by: By
  readonly direction: (typeof directions)[number]
}

/** If the order is omitted, the newest row comes first. */
export interface SortedPage<By extends string> extends Page {
  readonly sorting?: Sorting<By>
}

export interface EndUserFilter {
  /** If set, the list contains only end users on this bundle whose plan has not ended. */
  readonly bundleId: string | null
  /** Text to search for: an ID, or part of the external ID or of the email address, in upper or lower case. */
  readonly search?: string | null
  readonly state?: 'active' | 'frozen' | null
}

export interface KeyFilter {
  readonly mode: Mode
  readonly endUserId: string | null
  /**
   * Text to search for: an ID, the first or last characters of the secret, or part of the name in upper or lower case.
   */
  readonly search?: string | null
  readonly state?: 'active' | 'revoked' | 'expired' | null
}

interface SortedPlace {
  readonly id: string
  /** The value of the row as text: a name, or an integer. */
  readonly value: string
}

/** Names are compared by code point, and all other values are integers. */
export function isTextSort(by: string): boolean {
  return by === 'name'
}

export function positionOfPlace(sorting: Sorting<string>, { id, value }: SortedPlace): Position {
  return { at: 0, id: [sorting.by, sorting.direction, id, value].join(' ') }
}

/** Returns null if the position belongs to a list with another order. */
export function placeOfPosition(sorting: Sorting<string>, { id: text }: Position): SortedPlace | null {
  const [by, direction, id, ...rest] = text.split(' ')
  const value = rest.join(' ')
  if (by !== sorting.by || direction !== sorting.direction || id === undefined || rest.length === 0)
    return null
  return isTextSort(sorting.by) || /^-?\d{1,18}$/.test(value) ? { id, value } : null
}
