/** Which page an address of the portal is, and the address of a page. Nothing here knows a browser. */

export const pageNames = [
  'home',
  'usage',
  'activity',
  'keys',
  'ledger',
  'plan',
  'limits',
  'docs',
  'settings',
  'more',
] as const
export type PageName = (typeof pageNames)[number]

export type Place =
  | { readonly page: PageName }
  /** The receipt of one call. */
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

/**
 * A path of this portal, or `/`: what a link may lead to after the sign-in. The server checks it too; a page that goes
 * where an answer says should not depend on that.
 */
export function safeReturnPath(path: string): string {
  const base = 'https://portal.invalid'
  const url = path.startsWith('/') && !/^\/[/\\]/.test(path) ? URL.parse(path, base) : null
  return url !== null && url.origin === base ? url.pathname + url.search : '/'
}

/** The token of a link, from `#handoff=ph_…`; null: the address has none. */
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
