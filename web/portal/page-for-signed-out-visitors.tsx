import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { brand, supportLink } from './brand-in-document.ts'
import { signInByLink } from './sign-in-by-link.ts'
import { Logo } from './portal-page-frame.tsx'
import type { Session } from './end-user-session.ts'

export default function SignedOut({
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
          <h1 className="text-28 font-semibold tracking-tight">The portal can't be opened right now</h1>
          <FailureNote error={session.error} onRetry={() => void signInByLink()} />
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
        Sign in to <bdi className="font-medium text-ink">{brand.productName}</bdi>, then open this portal from
        there.
      </p>
      {help !== null && (
        <p className="text-ink-2">
          Need help?{' '}
          <a className="brand-text underline" href={help} rel="noreferrer">
            Contact support
          </a>
          .
        </p>
      )}
      <div>
        {/* A reload clears the cache, so that an end user never sees another end user's data. */}
        <Button size="large" onClick={() => location.reload()}>
          Reload page
        </Button>
      </div>
    </div>
  )
}

const words = {
  absent: {
    title: 'You are not signed in',
    what: 'This portal shows your usage, your charges and your API keys.',
  },
  ended: {
    title: 'Your session has expired',
    what: 'Sessions expire after one hour without use, and after one day at the latest. Your data is kept, and your API keys keep working.',
  },
  signed_out: {
    title: 'You are signed out',
    what: 'This browser no longer has access to your account. Your API keys keep working.',
  },
  link_refused: {
    title: 'This link is no longer valid',
    what: 'A sign-in link works once and expires one minute after it is created. This link was already used or has expired.',
  },
} as const
