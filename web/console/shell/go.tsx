/** Links inside the console. Application, mode and range go along. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'

export interface GoProps {
  /** A path of pages.ts. */
  readonly to: string
  /** For the parts of the path that vary. */
  readonly params?: Readonly<Record<string, string>>
  /** What the query has besides. */
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

/** The page of one end user. Their ID may be any text: 180 px of it are shown, and the whole in the title. */
export function UserLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Go to="/users/$id" params={{ id }} className="hover:underline" title={id}>
      <bdi className="inline-block max-w-45 truncate align-bottom">{id}</bdi>
    </Go>
  )
}
