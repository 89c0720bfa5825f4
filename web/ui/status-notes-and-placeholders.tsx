/** A state is never shown by color alone. */
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'positive' | 'held' | 'negative' | 'test' | 'neutral'

const dots: Readonly<Record<Tone, string>> = {
  positive: 'bg-positive',
  held: 'bg-held',
  negative: 'bg-negative',
  test: 'bg-test',
  neutral: 'bg-edge',
}

export function State({
  tone,
  words,
  title,
}: {
  readonly tone: Tone
  readonly words: string
  readonly title?: string
}): ReactNode {
  return (
    // In a list of facts on a phone, a long state wraps. In a table, the table scrolls.
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap in-[dd]:whitespace-normal"
      title={title}
    >
      <span aria-hidden className={classNames('size-2 shrink-0 rounded-full', dots[tone])} />
      {words}
    </span>
  )
}

const notes: Readonly<Record<Tone, string>> = {
  positive: 'border-positive bg-positive-2',
  held: 'border-held bg-held-2',
  negative: 'border-negative bg-negative-2',
  test: 'border-test bg-test-2',
  neutral: 'border-edge bg-surface-2',
}

export function Note({
  action,
  children,
  title,
  tone = 'neutral',
}: {
  readonly tone?: Tone
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
}): ReactNode {
  return (
    <div
      className={classNames(
        'flex flex-wrap items-start gap-3 rounded border-l-2 px-4 py-3 text-14',
        notes[tone],
      )}
    >
      <div className="min-w-[min(12rem,100%)] flex-1">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  )
}

export function Empty({
  action,
  children,
  command,
  title,
}: {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly command?: ReactNode
}): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3 border-y border-line py-8">
      <p className="text-16 font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-ink-2">{children}</div>}
      {action}
      {command}
    </div>
  )
}

export function Skeleton({ className }: { readonly className?: string }): ReactNode {
  return <span aria-hidden className={classNames('block h-4 rounded bg-surface-3', className)} />
}
