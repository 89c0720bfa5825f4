/** Each link keeps the application, the mode and the range. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'

export interface GoProps {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
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

/** Truncates an ID that is longer than 180 px. The title contains the whole ID. */
export function UserLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Go to="/users/$id" params={{ id }} className="hover:underline" title={id}>
      <bdi className="inline-block max-w-45 truncate align-bottom">{id}</bdi>
    </Go>
  )
}
