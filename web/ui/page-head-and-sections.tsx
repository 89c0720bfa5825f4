import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function PageHead({
  about,
  action,
  before,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly action?: ReactNode
  readonly before?: ReactNode
}): ReactNode {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {before !== undefined && <div className="mb-1 text-13 text-ink-3">{before}</div>}
        <h1 className="text-28 font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {about !== undefined && <p className="mt-1 max-w-prose text-pretty text-ink-2">{about}</p>}
      </div>
      {action !== undefined && <div className="flex flex-wrap items-center gap-2">{action}</div>}
    </header>
  )
}

export function Section({
  about,
  action,
  children,
  className,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly action?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <section className={classNames('mb-12', className)}>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          <h2 className="text-16 font-semibold wrap-anywhere">{title}</h2>
          {about !== undefined && <p className="max-w-prose text-13 text-pretty text-ink-2">{about}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

export function Facts({
  facts,
  className,
}: {
  readonly facts: readonly (readonly [name: ReactNode, value: ReactNode] | null)[]
  readonly className?: string
}): ReactNode {
  return (
    <dl
      className={classNames(
        'grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 text-14',
        // Long names of facts must leave space for an amount.
        'max-phone:grid-cols-[fit-content(45%)_minmax(0,1fr)]',
        className,
      )}
    >
      {facts.map(
        (fact, at) =>
          fact && (
            // oxlint-disable-next-line react/no-array-index-key -- facts keep their order
            <div key={at} className="col-span-2 grid grid-cols-subgrid border-b border-line py-2">
              <dt className="text-ink-3">{fact[0]}</dt>
              <dd className="min-w-0 wrap-anywhere">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

export function Figure({
  change,
  name,
  spark,
  value,
}: {
  readonly name: ReactNode
  readonly value: ReactNode
  readonly change?: ReactNode
  readonly spark?: ReactNode
}): ReactNode {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="text-13 text-ink-3">{name}</div>
      <div className="text-20 font-semibold">{value}</div>
      {(change !== undefined || spark !== undefined) && (
        <div className="flex flex-wrap items-center gap-x-2 text-12 text-ink-2">
          {change}
          {spark}
        </div>
      )}
    </div>
  )
}

export function Figures({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="mb-8 grid grid-cols-2 gap-x-6 gap-y-4 border-y border-line py-4 phone:grid-cols-3 tablet:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">
      {children}
    </div>
  )
}
