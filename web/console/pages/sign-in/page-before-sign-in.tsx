import type { ReactNode } from 'react'

export function BarePage({
  about,
  children,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[26rem] flex-col gap-6 px-6 py-16">
      <p className="text-13 font-medium text-ink-3">Tollgate</p>
      <div>
        <h1 className="text-28 font-semibold tracking-tight">{title}</h1>
        {about !== undefined && <p className="mt-2 text-ink-2">{about}</p>}
      </div>
      {children}
    </main>
  )
}
