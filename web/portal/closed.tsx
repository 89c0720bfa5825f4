/** Shown in place of the pages while no one is signed in. */
import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { brand, supportLink } from './brand.ts'
import { enter } from './enter.ts'
import { Logo } from './frame.tsx'
import type { Session } from './session.ts'

export default function Closed({
  session,
}: {
  readonly session: Exclude<Session, { state: 'open' | 'opening' }>
}): ReactNode {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-portal flex-col gap-8 px-4 py-8">
      <div className="flex items-center gap-3">
        <Logo />
      </div>
      {session.state === 'failed' ? (
        <>
          <h1 className="text-28 font-semibold tracking-tight">The portal cannot be opened now</h1>
          <FailureNote error={session.error} onRetry={() => void enter()} />
        </>
      ) : (
        <Told {...words[session.state]} />
      )}
    </main>
  )
}

function Told({ title, what }: { readonly title: string; readonly what: string }): ReactNode {
  const help = supportLink()
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-28 font-semibold tracking-tight">{title}</h1>
      <p className="text-ink-2">{what}</p>
      <p className="text-ink-2">
        Open it from <bdi className="font-medium text-ink">{brand.productName}</bdi> itself, where you are
        signed in: it brings you here.
      </p>
      {help !== null && (
        <p className="text-ink-2">
          Not there?{' '}
          <a className="brand-text underline" href={help} rel="noreferrer">
            Ask for help
          </a>
          .
        </p>
      )}
      <div>
        {/* Anew: what is kept of one person is not shown to another. */}
        <Button size="large" onClick={() => location.reload()}>
          Look again
        </Button>
      </div>
    </div>
  )
}

const words = {
  absent: {
    title: 'Nobody is signed in here',
    what: 'This is where you see what you have used, what you were charged, and your keys.',
  },
  ended: {
    title: 'Your session has ended',
    what: 'It ends after an hour without use, and after a day in any case. Nothing is lost; your keys go on working.',
  },
  signed_out: {
    title: 'You are signed out',
    what: 'This browser shows nothing of you any more. Your keys go on working.',
  },
  link_refused: {
    title: 'This link does not work any more',
    what: 'A link signs you in once, within a minute of being made. This one was used before, or is too old.',
  },
} as const
