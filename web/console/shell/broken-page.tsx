/** In place of a page that is not there, or that failed. */
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/layout.tsx'
import { Go } from './go.tsx'

export function BrokenPage({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter()
  return (
    <FailureNote
      title="This page cannot be shown."
      error={error}
      onRetry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}

export function MissingPage(): ReactNode {
  return (
    <main className="mx-auto max-w-prose p-6">
      <PageHead
        title="There is no such page"
        about="The address may be misspelt, or what it led to is gone."
      />
      <Go to="/">Go to the overview</Go>
    </main>
  )
}
