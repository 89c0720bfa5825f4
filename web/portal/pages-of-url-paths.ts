/** This file does not use browser APIs. */

export const pageNames = [
  'home',
  'usage',
  'activity',
  'keys',
  'ledger',
  'plan',
  'limits',
  'team',
  'docs',
  'settings',
  'more',
] as const
export type PageName = (typeof pageNames)[number]

export type Place =
  | { readonly page: PageName }
  | { readonly page: 'receipt'; readonly id: string }
  | { readonly page: 'invoice'; readonly id: string }
  | { readonly page: 'none' }

export function placeOf(pathname: string): Place {
  const parts = pathname.split('/').filter((part) => part !== '')
  const [first = 'home', second] = parts
  if (parts.length > 2) return { page: 'none' }
  if (second !== undefined) {
    const id = decoded(second)
    const page = first === 'activity' ? 'receipt' : first === 'plan' && 'invoice'
    return id !== null && page ? { page, id } : { page: 'none' }
  }
  const page = pageNames.find((name) => name === first)
  return page === undefined || (page === 'home' && parts.length > 0) ? { page: 'none' } : { page }
}

export function pathOf(page: PageName): string {
  return page === 'home' ? '/' : `/${page}`
}

export function receiptPath(requestId: string): string {
  return `/activity/${encodeURIComponent(requestId)}`
}

export function invoicePath(invoiceId: string): string {
  return `/plan/${encodeURIComponent(invoiceId)}`
}

/** The URL fragment is `#handoff=ph_…`. Null if the URL has no token. */
export function handoffOf(hash: string): string | null {
  return /^#handoff=([\w-]{1,128})$/.exec(hash)?.[1] ?? null
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
