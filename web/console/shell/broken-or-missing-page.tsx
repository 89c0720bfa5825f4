import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Go } from './console-links.tsx'

export function BrokenPage({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter()
  return (
    <FailureNote
      title="This page couldn't be loaded."
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
        title="Page not found"
        about="The address may contain a typo, or the page may have been removed."
      />
      <Go to="/">Go to Overview</Go>
    </main>
  )
}
