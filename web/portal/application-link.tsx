/**
 * A link to a page of the application itself, for example to pay invoices. If the application has not set the address,
 * the link is not shown.
 */
import type { ReactNode } from 'react'

export function ApplicationLink({
  to,
  words,
}: {
  readonly to: string | null
  readonly words: string
}): ReactNode {
  return (
    to && (
      <a className="brand-text inline-flex min-h-12 items-center underline" href={to} rel="noreferrer">
        {words}
      </a>
    )
  )
}
