/** The parts that pages of the portal are made of. */
import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { RightIcon } from '#web/ui/icons.tsx'
import { Skeleton } from '#web/ui/status-and-notes.tsx'
import { Go } from '#web/portal/router.tsx'
import type { Answer } from '#web/portal/response-cache.ts'

export function PageTitle({
  about,
  action,
  back,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly action?: ReactNode
  /** The parent of the page. */
  readonly back?: { readonly to: string; readonly words: string }
}): ReactNode {
  return (
    <div className="mb-6">
      {back && (
        <Go to={back.to} className="-mt-3 inline-flex h-12 items-center text-14 text-ink-2 hover:text-ink">
          <RightIcon className="mr-1 size-4 rotate-180" />
          {back.words}
        </Go>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-28 font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {action}
      </div>
      {about !== undefined && <p className="mt-1 text-ink-2">{about}</p>}
    </div>
  )
}

export function Part({
  action,
  children,
  title,
}: {
  readonly title: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <section className="mb-10">
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4">
        <h2 className="text-16 font-semibold">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  )
}

/** A link in a section's head to the page with all entries. */
export function Further({ children, to }: { readonly to: string; readonly children: ReactNode }): ReactNode {
  return (
    <Go to={to} className="brand-text flex h-12 items-center text-14 underline">
      {children}
    </Go>
  )
}

/** Rows with a line between them, each at least as high as a touch target. */
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
  /** The page that the row opens. */
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

/** A row of a description list, with the name on the left and the value on the right. */
export function Fact({
  children,
  name,
}: {
  readonly name: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 border-b border-line py-2">
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}

/** Shows the state of a request: its error, a skeleton, or its content. */
export function Shown<Value>({
  answer: { error, isOld, retry, value },
  children,
  rows = 3,
  what,
}: {
  readonly answer: Answer<Value>
  /** Name of the content in an error, such as "Your usage". */
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}): ReactNode {
  return (
    <>
      {error !== null && (
        <div className="mb-4">
          <FailureNote
            title={value === undefined ? `${what} couldn't be loaded.` : `${what} may be out of date.`}
            error={error}
            onRetry={retry}
          />
        </div>
      )}
      {value === undefined ? (
        error === null && <Waiting rows={rows} />
      ) : (
        <div className={classNames(isOld && 'opacity-60')} aria-busy={isOld || undefined}>
          {children(value)}
        </div>
      )}
    </>
  )
}

export function Waiting({ rows }: { readonly rows: number }): ReactNode {
  return (
    <div role="status" className="flex flex-col gap-3 py-3">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key -- placeholders have no other key
        <Skeleton key={row} className="h-11" />
      ))}
    </div>
  )
}
