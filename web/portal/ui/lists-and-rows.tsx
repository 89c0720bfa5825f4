import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'
import { Go } from '#web/portal/portal-router.tsx'

/** Each row is at least as high as a touch target. */
export function List({
  children,
  label,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <ul aria-label={label} className="border-t border-line">
      {children}
    </ul>
  )
}

export function Row({
  children,
  className,
  to,
}: {
  readonly children: ReactNode
  readonly className?: string
  readonly to?: string
}): ReactNode {
  const look = classNames('flex min-h-14 items-center gap-3 py-2', className)
  return (
    <li className="border-b border-line">
      {to === undefined ? (
        <div className={look}>{children}</div>
      ) : (
        <Go to={to} className={classNames(look, '-mx-2 rounded px-2 hover:bg-surface-2')}>
          {children}
        </Go>
      )}
    </li>
  )
}

export function Fact({
  children,
  name,
}: {
  readonly name: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 border-b border-line py-2">
      <dt className="min-w-0 wrap-anywhere text-ink-2">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}
