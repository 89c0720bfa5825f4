/** Links inside the console. The links keep application, mode and range. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'

export interface GoProps {
  /** A path of the table in pages.ts. */
  readonly to: string
  /** Values of the path parameters. */
  readonly params?: Readonly<Record<string, string>>
  /** Additional query parameters. */
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
  readonly className?: string
  readonly title?: string
}

export function Go({ children, className, params, search, title, to }: GoProps): ReactNode {
  return (
    <Link
      to={to}
      {...(params && { params: params })}
      {...(search && { search: search })}
      {...(title !== undefined && { title })}
      className={classNames(className ?? 'text-accent underline underline-offset-2 hover:no-underline')}
    >
      {children}
    </Link>
  )
}

/** Links to an end user. A long ID is truncated at 180 px, and the title contains the whole ID. */
export function UserLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Go to="/users/$id" params={{ id }} className="hover:underline" title={id}>
      <bdi className="inline-block max-w-45 truncate align-bottom">{id}</bdi>
    </Go>
  )
}
