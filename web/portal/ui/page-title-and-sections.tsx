import type { ReactNode } from 'react'
import { RightIcon } from '#web/ui/icons.tsx'
import { Go } from '#web/portal/portal-router.tsx'

export function PageTitle({
  about,
  action,
  back,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly action?: ReactNode
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
        <h2 className="min-w-0 text-16 font-semibold wrap-anywhere">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  )
}

export function Further({ children, to }: { readonly to: string; readonly children: ReactNode }): ReactNode {
  return (
    <Go to={to} className="brand-text flex h-12 items-center text-14 underline">
      {children}
    </Go>
  )
}
