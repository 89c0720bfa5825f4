/** The link is missing if the application has not set the address. */
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
